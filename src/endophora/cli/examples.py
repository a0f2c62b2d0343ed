"""What is typed after each command: two examples, one where it takes no options; its help and its page show them."""

EXAMPLES = {
    "": ("demo", "evaluate -l en-de -s test.en -r test.de -d test.ids -y ours=ours.de -y theirs=theirs.de"),
    "demo": ("", "-l en-fr --format markdown"),
    "evaluate": (
        "-l en-de -s test.en -r test.de -d test.ids -y ours=ours.de -y theirs=theirs.de",
        "-l en-de -i wmt24 -r refA --baseline ours --fail-if 'worse than baseline' -o result",
    ),
    "check": (
        "-l en-de -s test.en -d test.ids -y ours=ours.de",
        "-l en-de -i job.xlf -y ours=ours.xlf --glossary terms.tsv",
    ),
    "compare": ("main/result.json change/result.json", "main change --format markdown --fail-if 'worse in formality'"),
    "metrics": ("", "--format json"),
    "meta-evaluate": (
        "-H mqm.tsv -l zh-en -r ref --score bleu --score blonde",
        "-H wmt22 --human-name mqm --metrics wmt22 -l en-de --level sys",
    ),
    "human": ("sheets -l en-de -i wmt24 -r refA -o sheets", "results sheets/key.json rater-1.csv rater-2.csv"),
    "human sheets": (
        "-l en-de -i wmt24 -r refA --with-references -y GPT-4 -y ONLINE-B -o sheets",
        "-l en-de -s test.en -r test.de -d test.ids -y ours=ours.de -y theirs=theirs.de",
    ),
    "human results": ("sheets/key.json rater-1.csv rater-2.csv", "sheets/key.json rater-1.csv -o result"),
    "human errors": ("ours=ours.an.txt", "ours=ours.an.txt theirs=theirs.an.txt"),
    "tag": (
        "-l en-de -s test.en -r test.de -d test.ids -o tags",
        "-l en-de -i test.tsv --phenomenon pronouns --format jsonl",
    ),
    "convert": ("job.xlf job.tsv -l en-de", "job.xlf filled.xlf -l en-de -y ours=ours.txt --fill"),
    "align": (
        "books/zh books/en -l zh-en -o bwb",
        "novels/de novels/fr -l de-fr --chapter 'Kapitel|Chapitre' --to jsonl",
    ),
    "mentions": ("-l zh-en -i books.tsv -o marked", "-l en-de -s test.en -r test.de -d test.ids"),
    "extract": (
        "-l en-de -i corpus.tsv.gz -o extracted",
        "-l en-de -i corpus.tsv.gz -o extracted --executor process --workers 8",
    ),
    "translate": (
        "-l en-de -s test.en -d test.ids --model hf:Helsinki-NLP/opus-mt-en-de -o output.txt",
        "-l en-de -i test.tsv --model ct2:DIR --context 2 -f jsonl -o output.jsonl",
    ),
    "score": (
        "-l en-de -i test.tsv --model hf:Helsinki-NLP/opus-mt-en-de",
        "-l en-de -i test.tsv --model DIR --context 2 -f jsonl -o scores.jsonl",
    ),
    "suite": ("list", "score suite.json --system ours=ours.txt"),
    "suite build": (
        "--kind word-sense -l de-en --pairs corpus.tsv -o senses",
        "-l de-en --pairs corpus.tsv --embeddings vectors.txt -o senses",
    ),
    "suite score": (
        "suite.json --system plain=plain.txt --system context=context.txt",
        "suite.key.txt --system ours=ours.fi --lemmas annotator",
    ),
    "suite formats": ("",),
    "suite list": ("",),
    "suite describe": ("suite.json", "suite.json --beside other.json"),
    "suite convert": (
        "suite.jsonl --to lm-eval -o tasks",
        "contrapro.json --corpus opensubtitles.tsv --context 5 --to corpus -o contrapro.tsv",
    ),
    "suite split": ("suite.json -o parts", "suite.json --most 1000 --to contrapro -o parts"),
    "suite prompts": ("suite.json", "suite.json --inputs suite.input --context 10"),
    "context": ("demo", "cxmi -l en-de -i test.tsv --model hf:NAME"),
    "context demo": ("", "-o demo"),
    "context cxmi": (
        "-l en-de -i test.tsv --model hf:NAME --context 2",
        "--tasks dialogue.jsonl --model hf:NAME -o cxmi",
    ),
    "context attribute": (
        "-l en-de -i test.tsv --model hf:NAME --context 2 -o flows",
        "-l en-de -i test.tsv --model plain=DIR --model context=DIR --without-context plain",
    ),
    "context contrast": (
        "suite.jsonl --model DIR --size 0 --size 5",
        "contrapro.json --corpus opensubtitles.tsv --model plain=DIR --model context=DIR",
    ),
    "context perturb": (
        "-l en-de -i test.tsv --model hf:NAME --context 2",
        "-l en-de -i test.tsv --model DIR --condition none --condition gold --condition random",
    ),
    "context study": (
        "-l en-de -i test.tsv --suite contrapro.json --model a=DIR --model b=hf:NAME",
        "-l en-de -i test.tsv --suite suite.jsonl --model DIR -o study",
    ),
    "context themes": ("out", "out --condition gold"),
    "models": ("", "install comet"),
    "models install": ("comet", "comet --model Unbabel/wmt22-comet-da"),
    "models remove": ("comet",),
    "models convert": ("model model.ct2", "Helsinki-NLP/opus-mt-en-de opus-mt --precision int8"),
    "store": ("", "--services"),
    "store prune": ("--max-size 2GB", "--older-than 30d"),
    "store clear": ("", "--store old.sqlite"),
    "store verify": ("", "--store old.sqlite"),
    "doctor": ("", "--thorough --verbose"),
    "completion": ("bash",),
    "languages": ("", "check de"),
    "languages new": ("uk", "uk -o rules"),
    "languages check": ("de", "xx.yaml --annotator xx=NAME"),
    "train": (
        "text -l en-de --pairs corpus.tsv -o text",
        "model -l en-de --train train.tsv --validation dev.tsv -o model",
    ),
    "train model": (
        "-l en-de --train text/train.tsv --validation text/validation.tsv -o model",
        "-l en-de --train train.tsv --validation validation.tsv --minutes 30 -o model",
    ),
    "train text": (
        "-l en-de --libreoffice-help /usr/share/libreoffice/help -o text",
        "-l en-de --pairs corpus.tsv -o text",
    ),
    "train ellipsis": ("labelled.jsonl -o classifier", "first.jsonl second.jsonl -o classifier"),
}

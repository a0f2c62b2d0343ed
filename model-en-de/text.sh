#!/bin/bash
# The text that the English–German model is trained on: documents of Debian 12's packages, and Tatoeba's sentence pairs.
#
#     bash model-en-de/text.sh PAIRS [FOLDER]
#
# PAIRS: tab-separated collection, source, target, plain or .gz, of which those of "tatoeba" are taken (aligned sentences
# of https://tatoeba.org). FOLDER (build/text): what is fetched and unpacked (2.5 GB), and in text/ what is made of it.
# Needs apt-get and dpkg of Debian 12; installs nothing. The documents' names, which decide what is held out, are paths
# within the packages: hence a folder for each game, and one for all handbooks.
set -euo pipefail
pairs=$(realpath "$1")
mkdir -p "${2:-build/text}"/{packages,wesnoth}
cd "${2:-build/text}"

# All that hold eight or more files of German help (apt-file search -x '^/usr/share/help/de/').
desktop="
    accerciser aisleriot anjuta-common atril-common baobab bijiben brasero-common burner-common
    caja-actions-common cheese-common dasher-data easytag endeavour-common eog epiphany-browser-data
    evince-common evolution-common file-roller five-or-more font-manager-common four-in-a-row frogr-data gbrainy
    geary gedit-common ghex giggle glabels-data glom-doc gnome-applets-data gnome-boxes gnome-calculator
    gnome-chess gnome-clocks gnome-commander-data gnome-devel-docs gnome-dictionary gnome-mahjongg gnome-mines
    gnome-music gnome-nibbles gnome-photos gnome-robots gnome-sudoku gnome-system-log gnome-system-monitor
    gnome-system-tools gnome-taquin gnome-terminal-data gnome-tetravex gnome-text-editor gnome-user-docs
    gnome-video-arcade gnote gnucash-docs gnumeric-doc gthumb-data gtkmm-documentation gtranslator
    hamster-time-tracker hitori iagno kupfer lightsoff mate-applets-common mate-calc-common
    mate-control-center-common mate-power-manager-common mate-system-monitor-common mate-user-guide
    mate-utils-common meld modem-manager-gui-help ocrfeeder orca parlatype pitivi polari pulseeffects
    quadrapassel rhythmbox-data seahorse shotwell-common simple-scan swell-foop totem-common vinagre
    zenity-common
"
handbooks="
    libreoffice-help-en-us libreoffice-help-de gimp-help-en gimp-help-de debian-handbook
    debian-reference-en debian-reference-de developers-reference developers-reference-de
    debian-faq debian-faq-de maint-guide maint-guide-de
"
wesnoth=$(printf "wesnoth-1.16-%s " core data did dm dw ei httt l low nr sof sota sotbe thot trow tsg ttb utbs)
games="widelands-data naev-data freedroidrpg-data"

(cd packages && apt-get download $desktop $handbooks $wesnoth $games)
for package in $desktop $handbooks; do dpkg -x packages/"${package}"_*.deb root; done
for package in $wesnoth; do dpkg -x packages/"${package}"_*.deb "wesnoth/$package"; done
for package in $games; do dpkg -x packages/"${package}"_*.deb "$package"; done

share=root/usr/share
endophora train text --languages en-de --output text --libreoffice-help $share/libreoffice/help \
    --pages "gnome-help=$share/help/{C|de}/**/*" \
    --pages "gimp-help=$share/gimp/2.0/help/{en|de}/**/*" \
    --pages "debian-handbook=$share/doc/debian-handbook/html/{en-US|de-DE}/*" \
    --pages "debian-manuals-reference/ref=$share/debian-reference/*.{en|de}.html" \
    --pages "debian-manuals-developers=$share/developers-reference/{|de/}*" \
    --pages "debian-manuals-faq=$share/doc/debian/FAQ/{|de/}*{|.de}.html" \
    --pages "debian-manuals-maintainers=$share/doc/maint-guide{|-de}/html/*.{en|de}.html" \
    --scripts wesnoth=wesnoth --scripts widelands=widelands-data --scripts naev=naev-data \
    --scripts freedroidrpg=freedroidrpg-data --pairs "$pairs" --collection tatoeba

"""Documents in two languages: the records, and one reader, with a writer if we write it, for each file format."""

"""The main job: which system breaks which phenomenon, with significance and examples."""

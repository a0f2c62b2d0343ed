"""Which tokens a model generates a word from: ALTI+ (Ferrando et al. 2022), and gradients."""

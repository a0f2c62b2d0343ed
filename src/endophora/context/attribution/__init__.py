"""How much of what a model generates comes from where: ALTI+ (Ferrando et al. 2022), and gradients beside it."""

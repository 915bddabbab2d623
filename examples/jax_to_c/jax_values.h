/* Written by lower.py: values and gradients as JAX computes them. */
static const double jax_transformer[] = {
    0.493081271648, 0.0148051863887, 0.0107980884258,  0.437641835218, 0.0308921119195,
    2.21044362227,  1.13356990625,   0.00949409623122, 0.0489880645645
}; /* the value, then the norm of each gradient */
static const double jax_kalman[] = {
    -126.755870946, 2.74759154264, 3.07051199186
}; /* the value, then the norm of each gradient */

' digitised by hand
lm=2
1 2
3 4
curves=2
points=2
5 6
7 8
points=1
9 10
id=only
radii=2
1
2

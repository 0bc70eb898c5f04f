# The command wgp in an image, for any x86-64 processor:
#   docker build -t wgp .
#   docker run --rm -v "$PWD:/data" wgp fit points.csv --manifold sphere:2 --latent 1 -o model.wgp
# and for machines without Docker, by Apptainer:
#   docker save wgp -o wgp.tar && apptainer build wgp.sif docker-archive://wgp.tar
#   apptainer run wgp.sif fit points.csv --manifold sphere:2 --latent 1 -o model.wgp
# Untried as an image. In a fresh Debian 12 its packages were installed, the build configured and begun, and the command
# run with what the second stage has.
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends \
    g++ cmake ninja-build libeigen3-dev libboost-dev libfmt-dev nlohmann-json3-dev librandom123-dev zlib1g-dev
COPY . /src
RUN cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX=/usr/local -DWGP_NATIVE=OFF -DWGP_TESTS=OFF \
    && cmake --build /build --target wgp_command wgp_shared_files \
    && DESTDIR=/installed cmake --install /build --component command --strip

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends libstdc++6 zlib1g && rm -rf /var/lib/apt/lists/*
COPY --from=build /installed/ /
RUN wgp --version
WORKDIR /data
ENTRYPOINT ["wgp"]

# The image of both containers of the pod: `herald run` (the controller) and `herald bgpd` (FRR's bgpd).
#
#   docker build --tag herald .
#
# Nothing but what runs is in it: Node.js, the bundled controller, bgpd and vtysh with their libraries. There is
# no shell, no package manager and no compiler. The root may be read-only: what is written is below /run/herald.
#
# Two secrets are read if they are given, for building behind a proxy: `ca` (more certificate authorities, PEM) and
# `npmrc` (another registry). They are in no layer.

ARG BASE=debian:trixie-slim

# ---- the npm packages of the lock file, Node.js among them
FROM ${BASE} AS npm
RUN apt-get update \
 && apt-get install --yes --no-install-recommends ca-certificates libatomic1 npm \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY package.json package-lock.json .npmrc ./
COPY packages/api/package.json packages/api/
COPY packages/bgp/package.json packages/bgp/
COPY packages/controller/package.json packages/controller/
COPY packages/decision/package.json packages/decision/
COPY packages/frr/package.json packages/frr/
COPY packages/kube/package.json packages/kube/
COPY packages/lab/package.json packages/lab/
COPY packages/net/package.json packages/net/
COPY packages/server/package.json packages/server/
RUN --mount=type=secret,id=ca --mount=type=secret,id=npmrc,target=/root/.npmrc \
    if [ -s /run/secrets/ca ]; then export NODE_EXTRA_CA_CERTS=/run/secrets/ca; fi \
 && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error \
 && cp node_modules/node-linux-*/bin/node /usr/local/bin/node \
 && rm -rf /root/.npm

# ---- the bundle
FROM npm AS bundle
COPY LICENSE /out/licences/LICENSE
COPY packages packages
COPY deploy deploy
RUN /usr/local/bin/node deploy/image/bundle.ts /out \
 && mv /out/LICENCES /out/licences/LICENCES \
 && cp node_modules/node-linux-*/LICENSE /out/licences/LICENSE.node \
 && cp deploy/examples/two-racks.yaml /out/example.yaml

# ---- the root folder: Node.js and FRR's bgpd
FROM ${BASE} AS root
RUN apt-get update \
 && apt-get install --yes --no-install-recommends frr libatomic1 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=npm /usr/local/bin/node /usr/bin/node
COPY deploy/image/assemble-root.sh /
RUN sh /assemble-root.sh /image

# ---- Herald
FROM root AS herald
COPY --from=bundle /out /out
COPY deploy/image/add-herald.sh /
RUN sh /add-herald.sh /image /herald

# ---- the image
FROM scratch
ARG VERSION=dev
ARG REVISION=unknown
LABEL org.opencontainers.image.title="herald" \
      org.opencontainers.image.description="Announces Kubernetes LoadBalancer addresses by BGP from the control plane only" \
      org.opencontainers.image.licenses="Apache-2.0 AND GPL-2.0-or-later" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# The large layer, which changes only with Debian and Node.js, then Herald.
COPY --from=root /image /
COPY --from=herald /herald /
COPY --from=root --chown=65532:65532 /writable /run/herald
ENV PATH=/usr/bin:/usr/lib/frr \
    NODE_ENV=production \
    NODE_COMPILE_CACHE=/usr/lib/herald/compile-cache
WORKDIR /run/herald
USER 65532:65532
ENTRYPOINT ["herald"]
CMD ["run", "--config", "/etc/herald/settings.yaml"]

# The gateway, an indexer or the local network, selected by command and environment. The Node version is the one in package.json.

FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2 AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY localnet/package.json localnet/package.json
# The base image provides Node, and a server provides the database: neither the locked Node nor the install script is needed.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && npm cache clean --force && rm -r node_modules/node-linux-* node_modules/.bin/node

FROM node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2
# Inside the container the gateway and the metrics accept connections from outside it; the local RPC does with LOCAL_RPC_HOST=0.0.0.0; which ports are published is decided when it is started.
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data METRICS_PORT=9464 METRICS_HOST=0.0.0.0
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json main.ts healthy.ts LICENSE ./
COPY deployments deployments
COPY localnet localnet
# The web page, and the client it is built from: both are read when it is first opened.
COPY console console
COPY client/src client/src
COPY src src
# The guides are served at /docs/guides.
COPY docs/generations.md docs/glossary.md docs/how-the-exchange-works.md docs/trading.md docs/websocket.md docs/
COPY docs/guides docs/guides
# The only folder that is written to, and only by the local network and the embedded database.
RUN mkdir /data && chown node:node /data
VOLUME /data
# The user `node`, by number: Kubernetes checks runAsNonRoot without the image's list of users.
USER 1000:1000
EXPOSE 8080 8000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "healthy.ts"]
CMD ["node", "main.ts"]

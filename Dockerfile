# The gateway, an indexer, or the local network, by command and environment. The version of Node is the one that the project brings along (package.json).

FROM node:24.21.0-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
# The base image provides Node, and a server provides the database: no optional package and no script is needed.
RUN npm ci --omit=dev --omit=optional --ignore-scripts --no-audit --no-fund && npm cache clean --force

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data METRICS_PORT=9464
WORKDIR /app
COPY --from=packages /app/node_modules node_modules
COPY package.json main.ts ./
COPY deployments deployments
COPY localnet localnet
# The web page, and the client that it is made with: both are read at its first opening.
COPY console console
COPY client/src client/src
COPY src src
# The only folder that is written to, and only by the local network and the embedded database.
RUN mkdir /data && chown node:node /data
VOLUME /data
USER node
EXPOSE 8080 8000 9464
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s CMD ["node", "main.ts", "healthy"]
CMD ["node", "main.ts"]

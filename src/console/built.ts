// What the console is made of, and what is made of it.

/** What the page is told of the gateway that serves it. */
export interface ConsoleSettings {
  /** As health names it. */
  readonly networkName: string
  readonly networkPassphrase: string
  /** Where the local network of this very process listens; null on every other network. */
  readonly localRpcUrl: string | null
}

export interface BuildOrder {
  /** The project's folder: `console`, `client/src` and `node_modules` are read there. */
  readonly root: string
  readonly settings: ConsoleSettings
}

/** A file ready to be sent, whatever the browser takes. */
export interface BuiltFile {
  readonly type: string
  readonly etag: string
  readonly plain: Uint8Array
  readonly gzip: Uint8Array
  readonly brotli: Uint8Array
}

export interface BuiltConsole {
  /** Every asset's path begins with this, and another content has another one: what lies under it may be kept for ever. */
  readonly base: string
  readonly page: BuiltFile
  /** By path. */
  readonly assets: ReadonlyMap<string, BuiltFile>
}

// The settings that the gateway writes into the page.

export interface Settings {
  readonly networkName: string
  readonly networkPassphrase: string
  /** RPC URL of the local network that the gateway runs; null on every other network. */
  readonly localRpcUrl: string | null
}

export function readSettings(): Settings {
  const content = document.querySelector<HTMLMetaElement>('meta[name=console-settings]')?.content
  if (content === undefined) throw new Error('the page has no settings')
  return JSON.parse(content) as Settings
}

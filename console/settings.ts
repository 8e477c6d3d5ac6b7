// What the gateway tells the page about itself.

export interface Settings {
  readonly networkName: string
  readonly networkPassphrase: string
  /** Of the local network that the gateway runs; null on every other one. */
  readonly localRpcUrl: string | null
}

export function readSettings(): Settings {
  const content = document.querySelector<HTMLMetaElement>('meta[name=console-settings]')?.content
  if (content === undefined) throw new Error('the page has no settings')
  return JSON.parse(content) as Settings
}

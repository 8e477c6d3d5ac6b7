// Client ids: the names that clients give their transactions.

/** Time for which a submitted transaction holds its client id. */
export const CLIENT_ID_HELD_MS = 24 * 60 * 60_000

/** Raised when another submitted transaction of the owner holds the client id. */
export class ClientIdInUse extends Error {
  override readonly name = 'ClientIdInUse'
  /** The transaction that holds it. */
  readonly hash: string

  constructor(hash: string) {
    super('the client id belongs to another transaction')
    this.hash = hash
  }
}

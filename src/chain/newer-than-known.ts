// What a later protocol of the network added. The gateway is older than the network then; the node that sent it is not at fault.

/** Raised for a valid encoding that this version of the gateway does not know. `what` names it: "address type 6". */
export class NewerThanKnown extends Error {
  override readonly name = 'NewerThanKnown'
  readonly what: string

  constructor(what: string) {
    super(`this gateway is older than the network: unknown ${what}`)
    this.what = what
  }
}

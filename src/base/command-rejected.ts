/** Raised for an invalid or impossible command of the operator; the message is for the operator. */
export class CommandRejected extends Error {
  override readonly name = 'CommandRejected'
}

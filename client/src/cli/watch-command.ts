// The stream, line by line, until somebody ends it.

import type { StreamProblem, Channel, Frame } from '../stream-frames.ts'
import type { Client } from '../client.ts'
import { payloadText } from './account-commands.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { callOptions } from './exchange-commands.ts'
import { Interrupted } from './failures.ts'
import { plain, timeOf } from './table.ts'
import { UsageError } from './usage-error.ts'

const ACCOUNT = 'account'
const COUNT_MAX = 1_000_000_000

function integerOf(context: Context, name: string): number | undefined {
  const text = flagText(context, name)
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  if (!(value <= (name === 'count' ? COUNT_MAX : Number.MAX_SAFE_INTEGER))) throw new UsageError(`--${name}: ${JSON.stringify(text)} is no such number.`)
  return value
}

async function watch(context: Context): Promise<void> {
  const since = integerOf(context, 'since')
  const count = integerOf(context, 'count') ?? COUNT_MAX
  if (count === 0) throw new UsageError('--count begins with 1.')
  const client = context.rest.includes(ACCOUNT) ? context.clientWithKey() : context.client()
  const channels = await context.progress.run('Connecting', () => channelsOf(client, context))
  const stream = client.stream()
  let left = count
  try {
    await new Promise<void>((resolve, reject) => {
      context.signal.addEventListener('abort', () => resolve(), { once: true })
      if (context.signal.aborted) resolve()
      stream.onProblem((problem) => {
        const end = reportProblem(context, problem)
        if (end !== null) reject(end)
      })
      for (const channel of channels) {
        stream.on(channel, (frame) => {
          if (left === 0) return
          left -= 1
          context.showLine(frame, lineOf(context, frame))
          if (left === 0) resolve()
        }, since === undefined ? {} : { since })
      }
    })
  } finally {
    stream.close()
  }
  const reason: unknown = context.signal.aborted ? context.signal.reason : null
  // Ctrl-C is how it is ended, and no failure.
  if (reason !== null && !(reason instanceof Interrupted)) throw reason
}

/** The channels that are meant. One call first: a gateway that is not there is told at once, and not waited for. */
async function channelsOf(client: Client, context: Context): Promise<readonly Channel[]> {
  if (!context.rest.includes(ACCOUNT)) await client.getHealth({}, callOptions(context))
  const channels: string[] = []
  for (const word of context.rest) {
    if (word === ACCOUNT) channels.push(`account.events.${(await client.getAccountIdentity({}, callOptions(context))).body.owner}`)
    else if (/^[A-Za-z]{2,10}$/.test(word) && word !== 'events' && word !== 'heartbeat') channels.push(`ticker.${word.toUpperCase()}`)
    else channels.push(word)
  }
  return [...new Set(channels)] as Channel[]
}

/** Tells a problem; what nothing can come of any more is the error to end with. */
function reportProblem(context: Context, problem: StreamProblem): Error | null {
  if (problem.kind === 'rejected') {
    return new UsageError(`There is no channel ${problem.channels.map(plain).join(', ')}, or it is not yours.`, 'See watch --help for the channels.')
  }
  if (problem.kind === 'login' && problem.error !== 'unavailable') {
    return new UsageError(`The key was not accepted (${problem.error}).`, '`key new` gets another one.')
  }
  if (problem.kind === 'handler') return problem.error instanceof Error ? problem.error : new Error('a frame could not be shown')
  if (problem.kind === 'gap') {
    const { channels, since, until, reason } = problem.gap
    const end = until === null ? '' : ` up to ${until}`
    context.note(`Frames of ${channels.join(', ')} are missing behind ${since}${end} (${reason}): read \`call listEvents\` for what happened.`)
  } else if (problem.kind === 'disconnected') context.note(`The connection ended (${problem.reason}); it is being made again, and goes on where it was.`)
  return null
}

function lineOf(context: Context, frame: Frame<Channel>): string {
  const { channel, seq } = frame
  const place = seq === undefined ? '' : `  #${seq}`
  const data = frame.data as unknown as Readonly<Record<string, unknown>>
  return plain(`${channel.replace(/^(account\.events)\..*$/, '$1')}${place}  ${textOfData(context, channel, data)}`)
}

function textOfData(context: Context, channel: string, data: Readonly<Record<string, unknown>>): string {
  const price = (value: unknown): string => context.format(typeof value === 'string' ? value : null) ?? '–'
  const second = (ms: unknown): string => timeOf(typeof ms === 'number' ? ms / 1000 : null) ?? '–'
  if (channel.startsWith('ticker.')) return `${second(data['ts'])}  ${price(data['price'])}`
  if (channel.startsWith('candles.')) {
    const { time, open, high, low, close, final } = data
    const prices = `open ${String(open)} high ${String(high)} low ${String(low)} close ${String(close)}`
    return `${second(Number(time) * 1000)}  ${prices}${final === true ? '  final' : ''}`
  }
  if (channel.startsWith('trades.')) {
    const pnl = data['pnl'] === undefined ? '' : `  pnl ${price(data['pnl'])}`
    const what = `${String(data['kind'])}  position ${String(data['positionId'])}  at ${price(data['price'])}${pnl}`
    return `${second(data['ts'])}  ${what}  ${context.formatAddress(String(data['trader'])) ?? ''}`
  }
  if (channel === 'heartbeat') return `${second(data['ts'])}  ledger ${String(data['ledger'])}  head ${String(data['head'])}`
  return `${second(Number(data['ledgerCloseTs']) * 1000)}  ${String(data['topic'])}  ${payloadText(data['raw'])}`
}

export const WATCH_COMMANDS: readonly Command[] = [
  {
    name: 'watch', summary: 'The stream, a line a frame, until Ctrl-C.',
    arguments: [{ name: 'CHANNEL', help: 'BTC (its price), ticker.BTC, candles.BTC.1m, trades.BTC, events, heartbeat, account', isMany: true }],
    details: [
      'The connection is made again whenever it ends, and goes on where it was; what could not be sent is told on the error output.',
      'With --json a line is a frame as the gateway sends it: seq is its place in the log, prev that of the channel\'s frame before it.',
      'account is what concerns the account that the key is of. Ctrl-C ends it with 0.',
    ],
    flags: [
      { name: 'since', value: 'SEQ', help: 'first everything behind this place: the last seq that you had' },
      { name: 'count', value: 'N', help: 'ends after so many frames' },
    ],
    examples: ['watch BTC ETH', 'watch events --since 0 --count 10 --json', 'watch account'], run: watch,
  },
]

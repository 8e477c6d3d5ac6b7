// Prints the stream, one line per frame.

import type { StreamProblem, Channel, Frame } from '../stream-frames.ts'
import type { Client } from '../client.ts'
import { displayText } from '../display.ts'
import { payloadText } from './account-commands.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { callOptions, sideOf } from './exchange-commands.ts'
import { Interrupted } from './failures.ts'
import { timeOf } from './time.ts'
import { UsageError } from './usage-error.ts'

/** Words for the channels of the API key's account. */
const OWN_CHANNELS: ReadonlyMap<string, string> = new Map([['account', 'account.events'], ['account.orders', 'account.orders']])
const COUNT_MAX = 1_000_000_000

function integerOf(context: Context, name: string): number | undefined {
  const text = flagText(context, name)
  if (text === undefined) return undefined
  const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN
  if (!(value <= (name === 'count' ? COUNT_MAX : Number.MAX_SAFE_INTEGER))) throw new UsageError(`--${name}: ${JSON.stringify(text)} is not a valid number.`)
  return value
}

const hasOwnChannel = ({ rest }: Context): boolean => rest.some((word) => OWN_CHANNELS.has(word))

async function watch(context: Context): Promise<void> {
  const since = integerOf(context, 'since')
  const count = integerOf(context, 'count') ?? COUNT_MAX
  if (count === 0) throw new UsageError('--count must be at least 1.')
  const client = hasOwnChannel(context) ? context.clientWithKey() : context.client()
  const channels = await context.progress.run('Connecting', () => channelsOf(client, context))
  const stream = client.stream()
  let left = count
  try {
    await new Promise<void>((resolve, reject) => {
      context.signal.addEventListener('abort', () => resolve(), { once: true })
      if (context.signal.aborted) resolve()
      stream.onProblem((problem) => {
        const fatal = reportProblem(context, problem)
        if (fatal !== null) reject(fatal)
      })
      stream.onUpgrade(({ contract, generation, ledger }) => {
        context.note(`The ${contract} contract was upgraded in ledger ${ledger}, to generation ${generation ?? 'unknown'}.`)
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
  // Ctrl-C is the normal way to end it.
  if (reason !== null && !(reason instanceof Interrupted)) throw reason
}

/** The channels that the words name. Makes one call first, so that an unreachable gateway fails at once instead of being retried. */
async function channelsOf(client: Client, context: Context): Promise<readonly Channel[]> {
  const owner = hasOwnChannel(context) ? (await client.getAccountIdentity({}, callOptions(context))).body.owner : null
  if (owner === null) await client.getHealth({}, callOptions(context))
  const channels: string[] = []
  for (const word of context.rest) {
    const own = OWN_CHANNELS.get(word)
    if (own !== undefined) channels.push(`${own}.${owner ?? ''}`)
    else if (/^[A-Za-z]{2,10}$/.test(word) && word !== 'events' && word !== 'heartbeat') channels.push(`ticker.${word.toUpperCase()}`)
    else channels.push(word)
  }
  return [...new Set(channels)] as Channel[]
}

/** Prints a problem. Returns an error if the stream cannot continue. */
function reportProblem(context: Context, problem: StreamProblem): Error | null {
  if (problem.kind === 'rejected') {
    const channels = problem.channels.map(displayText).join(', ')
    return new UsageError(`Channel ${channels} does not exist or belongs to another account.`, 'Run watch --help for the channels.')
  }
  if (problem.kind === 'login' && problem.error !== 'unavailable') {
    return new UsageError(`The key was not accepted (${problem.error}).`, 'Create another one with `key new`.')
  }
  if (problem.kind === 'handler') return problem.error instanceof Error ? problem.error : new Error('A frame could not be printed.')
  if (problem.kind === 'gap') {
    const { channels, since, until, reason } = problem.gap
    const range = until === null ? `after ${since}` : `from ${since + 1} to ${until}`
    context.note(`Frames of ${channels.join(', ')} ${range} are missing (${reason}). Run \`call listEvents\` to see what happened.`)
  } else if (problem.kind === 'disconnected') context.note(`Connection lost (${problem.reason}). Reconnecting; the stream will resume.`)
  return null
}

/** One line of text for a frame of any channel. */
export function lineOf(context: Pick<Context, 'format' | 'formatAddress'>, frame: Frame<Channel>): string {
  const { channel, seq } = frame
  const position = seq === undefined ? '' : `  #${seq}`
  const data = frame.data as unknown as Readonly<Record<string, unknown>>
  return displayText(`${channel.replace(/^(account\.(?:events|orders))\..*$/, '$1')}${position}  ${textOfData(context, channel, data)}`)
}

function textOfData(context: Parameters<typeof lineOf>[0], channel: string, data: Readonly<Record<string, unknown>>): string {
  const price = (value: unknown): string => context.format(typeof value === 'string' ? value : null) ?? '–'
  const second = (ms: unknown): string => timeOf(typeof ms === 'number' ? ms / 1000 : null) ?? '–'
  if (channel.startsWith('prices.')) return `${second(Number(data['timestamp']) * 1000)}  ${price(data['price'])}  ledger ${String(data['ledger'])}`
  if (channel.startsWith('ticker.')) return `${second(data['ts'])}  ${price(data['price'])}`
  if (channel.startsWith('candles.')) {
    const { time, open, high, low, close, final, revision } = data
    const prices = `open ${String(open)} high ${String(high)} low ${String(low)} close ${String(close)}`
    const volume = typeof data['volume'] === 'string' ? `  volume ${price(data['volume'])}` : ''
    return `${second(Number(time) * 1000)}  ${prices}${volume}${final === true ? '  final' : ''}${typeof revision === 'number' ? `, revision ${revision}` : ''}`
  }
  if (channel.startsWith('trades.')) {
    const pnl = data['pnl'] === undefined ? '' : `  pnl ${price(data['pnl'])}`
    const direction = typeof data['direction'] === 'number' ? sideOf(data['direction']) : null
    const size = [direction, typeof data['size'] === 'string' ? price(data['size']) : null].filter((part) => part !== null).join(' ')
    const order = typeof data['orderId'] === 'number' ? `  order ${data['orderId']}` : ''
    const what = `${String(data['kind'])}  ${size === '' ? '' : `${size}  `}position ${String(data['positionId'])}${order}  at ${price(data['price'])}${pnl}`
    return `${second(data['ts'])}  ${what}  ${context.formatAddress(String(data['trader'])) ?? ''}`
  }
  if (channel === 'heartbeat') return `${second(data['ts'])}  ledger ${typeof data['ledger'] === 'number' ? data['ledger'] : '–'}  head ${String(data['head'])}`
  // Corrections and changes of orders have no raw event.
  if (data['row'] !== undefined) return `${String(data['kind'])}  ${payloadText(context, data['row'])}`
  if (data['ledgerCloseTs'] === undefined) return payloadText(context, data)
  const { topic: _topic, ...fields } = (data['raw'] ?? {}) as Readonly<Record<string, unknown>>
  return `${second(Number(data['ledgerCloseTs']) * 1000)}  ${String(data['topic'])}  ${payloadText(context, fields)}`
}

export const WATCH_COMMANDS: readonly Command[] = [
  {
    name: 'watch', summary: 'Prints the stream, one line per frame, until Ctrl-C.',
    arguments: [{
      name: 'CHANNEL', help: 'BTC (its price), ticker.BTC, prices.BTC, candles.BTC.1m, trades.BTC, events, corrections, heartbeat, account, account.orders',
      isMany: true,
    }],
    details: [
      'Reconnects and resumes after a lost connection; missing frames are reported on the error output.',
      'With --json each line is a frame as the gateway sends it: seq is its position in the log, prev that of the channel\'s previous frame.',
      'account has the events of the API key\'s account, account.orders its transactions, orders and fills. Ctrl-C ends the command with exit code 0.',
    ],
    flags: [
      { name: 'since', value: 'SEQ', help: 'start after this position: the last seq that you have' },
      { name: 'count', value: 'N', help: 'end after this many frames' },
    ],
    examples: ['watch BTC ETH', 'watch events --since 0 --count 10 --json', 'watch account'], run: watch,
  },
]

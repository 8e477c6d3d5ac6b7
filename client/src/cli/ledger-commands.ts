// The cash ledger, PnL over time, public profiles, and daily files.

import { writeFileSync } from 'node:fs'
import type { CashMovement, PnlPoint } from '../generated/resources.ts'
import type { Column } from './table.ts'
import { timeOf } from './time.ts'
import type { Command, Context } from './command.ts'
import { flagText } from './command.ts'
import { AT_LEDGER_FLAG, atLedgerOf, callOptions, firstRows, LIMIT_FLAG, limitOf, PAGE_MAX } from './exchange-commands.ts'
import { INTERVALS } from './history-commands.ts'
import { listing, table } from './table.ts'
import { UsageError } from './usage-error.ts'

async function movements(context: Context): Promise<void> {
  const address = flagText(context, 'account')
  const limit = limitOf(context)
  const input = { limit: Math.min(limit, PAGE_MAX), ...atLedgerOf(context) }
  const list = address === undefined ? context.clientWithKey().rows('listAccountLedger', input, callOptions(context))
    : context.client().rows('listTraderLedger', { ...input, address }, callOptions(context))
  const rows = await context.progress.run('Loading the ledger', () => firstRows(list, limit))
  const amount = (title: string, text: (row: CashMovement) => string | null): Column<CashMovement> =>
    ({ title, align: 'point', text: (row) => context.format(text(row)) })
  context.show({ ledger: rows }, table([
    { title: 'time (UTC)', text: ({ ts }) => timeOf(ts) }, { title: 'kind', text: ({ kind }) => kind },
    { title: 'balance', text: ({ balanceOf }) => balanceOf },
    amount('amount', (row) => row.amount), amount('pnl', ({ pnl }) => pnl), amount('fee', ({ fee }) => fee), amount('funding', (row) => row.funding),
    { title: 'position', align: 'right', text: ({ positionId }) => positionId }, { title: 'order', align: 'right', text: ({ orderId }) => orderId },
    { title: 'vault', align: 'right', text: ({ vaultId }) => vaultId },
  ], rows, 'No movements.'))
}

async function pnlHistory(context: Context): Promise<void> {
  const address = flagText(context, 'account')
  const interval = INTERVALS.find((one) => one === (flagText(context, 'interval') ?? '1d'))
  if (interval === undefined) throw new UsageError(`--interval must be one of ${INTERVALS.join(', ')}.`)
  const input = { interval, ...atLedgerOf(context) }
  const { body } = await context.progress.run('Loading the PnL', () => address === undefined
    ? context.clientWithKey().getAccountPnl(input, callOptions(context)) : context.client().getTraderPnl({ ...input, address }, callOptions(context)))
  const amount = (title: string, text: (row: PnlPoint) => string | null): Column<PnlPoint> =>
    ({ title, align: 'point', text: (row) => context.format(text(row)) })
  context.show(body, table([
    { title: 'begin (UTC)', text: ({ ts }) => timeOf(ts) }, amount('realised pnl', ({ realizedPnl }) => realizedPnl), amount('fees', ({ fees }) => fees),
    amount('funding', ({ funding }) => funding), amount('cumulative', ({ cumulative }) => cumulative),
  ], body.points, 'No PnL.'))
  if (body.gaps.length > 0) context.note('Some ledgers are missing from the index, so the figures are incomplete. --json lists them.')
}

async function profile(context: Context): Promise<void> {
  const address = context.args['ADDRESS'] ?? ''
  const { body } = await context.progress.run('Loading the profile', () => context.client().getTrader({ address }, callOptions(context)))
  const { bestTrade, worstTrade, winRate } = body
  const tradeText = (trade: typeof bestTrade): string | null =>
    trade === null ? null : `${context.format(trade.pnl) ?? '–'} (${trade.asset ?? 'unknown asset'}, position ${trade.positionId ?? '–'})`
  context.show(body, listing([
    ['account', body.address], ['volume', context.format(body.volume)], ['volume, 24 hours', context.format(body.volume24h)],
    ['volume, 14 days', context.format(body.volume14d)], ['realised pnl', context.format(body.realizedPnl)], ['trades', body.trades],
    ['liquidations', body.liquidations], ['win rate', winRate === null ? null : `${(winRate * 100).toFixed(1)} %`],
    ['open positions', body.openPositions], ['open interest', context.format(body.openInterest)], ['first trade (UTC)', timeOf(body.firstTradeAt)],
    ['last trade (UTC)', timeOf(body.lastTradeAt)], ['best trade', tradeText(bestTrade)], ['worst trade', tradeText(worstTrade)],
  ]))
}

const KINDS = ['events', 'trades', 'candles', 'ledger'] as const

async function listFiles(context: Context): Promise<void> {
  const limit = limitOf(context)
  const rows = await context.progress.run('Loading the files', () => firstRows(context.client().rows('listExports', {}, callOptions(context)), limit))
  context.show({ exports: rows }, table([
    { title: 'day (UTC)', text: ({ date }) => date }, { title: 'kind', text: ({ kind }) => kind },
    { title: 'rows', align: 'right', text: (row) => row.rows }, { title: 'bytes', align: 'right', text: ({ bytes }) => bytes },
  ], rows, 'No day can be downloaded yet.'))
}

async function download(context: Context): Promise<void> {
  const { KIND: kindText = '', DAY: day = '' } = context.args
  const kind = KINDS.find((one) => one === kindText)
  if (kind === undefined) throw new UsageError(`KIND must be one of ${KINDS.join(', ')}.`)
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw new UsageError(`DAY: ${JSON.stringify(day)} is not a day. Write it like 2026-07-06.`)
  const file = flagText(context, 'output') ?? `${kind}-${day}.ndjson.gz`
  const { body } = await context.progress.run('Downloading', () =>
    context.client().downloadExport({ kind, file: `${day}.ndjson.gz` }, { attempts: DOWNLOAD_ATTEMPTS, ...callOptions(context) }))
  try {
    writeFileSync(file, body, { flag: 'wx' })
  } catch (error) {
    throw new UsageError(`${file} cannot be written (${(error as { readonly code?: string }).code ?? 'unknown'}).`, 'Choose another file with --output.')
  }
  context.show({ file, bytes: body.length }, `Wrote ${body.length} bytes to ${file}\n`)
}

/** The gateway returns 503 with Retry-After until it has generated the file. */
const DOWNLOAD_ATTEMPTS = 20
const ACCOUNT_FLAG = { name: 'account', value: 'ADDRESS', help: 'this account (G…) or contract (C…) instead of the API key\'s' }

export const LEDGER_COMMANDS: readonly Command[] = [
  {
    name: 'ledger', summary: 'Every USDC movement between the account and the exchange, newest first.',
    flags: [ACCOUNT_FLAG, LIMIT_FLAG, AT_LEDGER_FLAG],
    details: ['The amounts of a balance add up to its change, exactly.'], examples: ['ledger', 'ledger --account GBX7… --limit 100'], run: movements,
  },
  {
    name: 'pnl', summary: 'Realised PnL, fees and funding per interval.',
    flags: [ACCOUNT_FLAG, { name: 'interval', value: 'WIDTH', help: `${INTERVALS.join(', ')}; 1d by default` }, AT_LEDGER_FLAG],
    examples: ['pnl --interval 1h'], run: pnlHistory,
  },
  {
    name: 'profile', summary: 'An account\'s public record: volumes, PnL, win rate, best and worst trade.',
    arguments: [{ name: 'ADDRESS', help: 'an account (G…) or contract (C…)' }], examples: ['profile GBX7…'], run: profile,
  },
  { name: 'export list', summary: 'The days whose data can be downloaded.', flags: [LIMIT_FLAG], examples: ['export list'], run: listFiles },
  {
    name: 'export download', summary: 'Downloads one day as gzip-compressed JSON lines.',
    arguments: [{ name: 'KIND', help: KINDS.join(', ') }, { name: 'DAY', help: 'a UTC day like 2026-07-06' }],
    flags: [{ name: 'output', value: 'FILE', help: 'the file to write; KIND-DAY.ndjson.gz by default' }],
    examples: ['export download trades 2026-07-06'], run: download,
  },
]

// The diagnostic events of a transaction in the documented order: those of the run, host_fn_failed, then nineteen metrics (soroban-rpc, "Meta,
// now").

import type { HostFailure } from '../contracts/shared/host.ts'
import { failureData } from './failure.ts'
import { diagnosticOf, encodeEvent, type HostEvent } from './host-events.ts'
import type { ContractRun } from './soroban-run.ts'

/** The measured part of the core_metrics events. */
export interface Metrics {
  readonly readEntries: number
  readonly writeEntries: number
  readonly ledgerReadBytes: number
  readonly ledgerWriteBytes: number
  readonly eventBytes: number
}

/** Nominal speed, derived from the network's published figures on ordinary machines. */
const INSTRUCTIONS_PER_NANOSECOND = 4
const MEMORY_BYTES_NOMINAL = 1_500_000

function metricsList(run: ContractRun, metrics: Metrics): readonly (readonly [name: string, value: number])[] {
  const { instructions } = run.meter
  const events = run.meter.count('event')
  return [
    ['read_entry', metrics.readEntries],
    ['write_entry', metrics.writeEntries],
    ['ledger_read_byte', metrics.ledgerReadBytes],
    ['ledger_write_byte', metrics.ledgerWriteBytes],
    ['read_key_byte', 0],
    ['write_key_byte', 0],
    ['read_data_byte', metrics.ledgerReadBytes],
    ['write_data_byte', metrics.ledgerWriteBytes],
    ['read_code_byte', 0],
    ['write_code_byte', 0],
    ['emit_event', events],
    ['emit_event_byte', metrics.eventBytes],
    ['cpu_insn', instructions],
    ['mem_byte', MEMORY_BYTES_NOMINAL],
    ['invoke_time_nsecs', Math.floor(instructions / INSTRUCTIONS_PER_NANOSECOND)],
    ['max_rw_key_byte', 0],
    ['max_rw_data_byte', metrics.ledgerWriteBytes],
    ['max_rw_code_byte', 0],
    ['max_emit_event_byte', metrics.eventBytes],
  ]
}

const diagnosticEvent = (topics: HostEvent['topics'], data: HostEvent['data']): HostEvent => ({
  type: 'diagnostic', contract: null, topics, data, failed: false,
})

const symbol = (value: string) => ({ type: 'symbol', value }) as const

/**
 * The DiagnosticEvents of a run: its own events, host_fn_failed when it failed, the failure that the ledger detected after the run (`ledgerFailure`),
 * and the metrics.
 */
export function runDiagnostics(run: ContractRun, metrics: Metrics, ledgerFailure: HostFailure | undefined): readonly Uint8Array[] {
  const { outcome, events } = run
  const hostFunctionFailed = outcome.ok ? [] : [diagnosticEvent([symbol('host_fn_failed'), { type: 'error', value: outcome.failure }], { type: 'void' })]
  const metricEvents = metricsList(run, metrics).map(([name, value]) =>
    diagnosticEvent([symbol('core_metrics'), symbol(name)], { type: 'u64', value: BigInt(value) }),
  )
  const encoded = (event: HostEvent): Uint8Array => diagnosticOf(encodeEvent(event), outcome.ok && !event.failed)
  const detected = ledgerFailure === undefined ? [] : [coreDiagnostic(ledgerFailure)]
  return [...events.map(encoded), ...hostFunctionFailed.map(encoded), ...detected, ...metricEvents.map(encoded)]
}

/** The DiagnosticEvent of a failure that the ledger detected outside the host; it names no contract. */
export function coreDiagnostic(failure: HostFailure): Uint8Array {
  return diagnosticOf(encodeEvent(diagnosticEvent([symbol('error'), { type: 'error', value: failure }], failureData(failure))), false)
}

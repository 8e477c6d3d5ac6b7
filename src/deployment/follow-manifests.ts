// Applies changes of the manifests while the program runs. What is served is what a restart would serve; if a restart would fail, nothing changes.

import type { Clock } from '../base/clock.ts'
import { fileVersion } from '../base/file-version.ts'
import type { Log } from '../base/log.ts'
import { selectDeployments, watchedFiles } from './manifest-files.ts'
import type { DeploymentChoice, SelectedDeployments } from './manifest-files.ts'

export const FOLLOW_INTERVAL_MS = 1_000

export interface ManifestFollower {
  /** Looks for changes once. A change is applied when two polls find the same state, because a file may be half written. */
  poll(): void
  /** Polls until the signal aborts. Never rejects. */
  run(signal: AbortSignal): Promise<void>
  /** Reasons why the present manifests are not applied; empty if they are. */
  problems(): readonly string[]
}

export interface FollowOptions {
  readonly choice: DeploymentChoice
  /** The selection that is served at first. */
  readonly selected: SelectedDeployments
  readonly clock: Clock
  readonly log: Log
  /** Called with every new selection. It is on the same network. */
  readonly onChange: (next: SelectedDeployments) => void
}

export function followManifests({ choice, selected, clock, log, onChange }: FollowOptions): ManifestFollower {
  let current = selected
  /** State of the files at the last poll, and the one that was read last. The files may have changed since they were read at the start. */
  let seen = ''
  let read = ''
  let problems: readonly string[] = []

  function apply(): void {
    const selection = selectDeployments(choice)
    problems = selection.kind === 'invalid' ? selection.problems : findNetworkChange(current, selection.deployments)
    if (problems.length > 0) log.error({ problems }, 'the changed manifests cannot be used; the previous deployment is still served')
    if (selection.kind === 'invalid' || problems.length > 0 || isSame(selection.deployments, current)) return
    log.info({ deployment: selection.deployments.served.name, previous: current.served.name }, 'manifests reloaded')
    current = selection.deployments
    onChange(current)
  }

  function poll(): void {
    const state = stateOf(choice)
    const isSettled = state === seen
    seen = state
    if (!isSettled || state === read) return
    read = state
    try {
      apply()
    } catch (error) {
      log.error({ err: error }, 'the changed manifests could not be applied')
    }
  }

  return {
    poll,
    problems: () => problems,
    async run(signal) {
      while (!signal.aborted) {
        poll()
        await clock.sleep(FOLLOW_INTERVAL_MS, signal)
      }
    },
  }
}

function stateOf(choice: DeploymentChoice): string {
  return watchedFiles(choice).map((file) => `${file} ${fileVersion(file)}`).join('\n')
}

/** A process serves one network: its database, and what its clients sign, belong to it. */
function findNetworkChange(current: SelectedDeployments, next: SelectedDeployments): readonly string[] {
  const { served } = current
  if (next.served.network === served.network && next.served.passphrase === served.passphrase) return []
  return [`${next.served.name} is on another network than ${served.name}: restart to serve it`]
}

function isSame(a: SelectedDeployments, b: SelectedDeployments): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

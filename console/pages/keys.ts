// The wallet and the API keys of its account.

import type { Answer, ApiKey, Client } from '../../client/src/index.ts'
import { createKeySection } from '../key-section.ts'
import { card, createTable, el } from '../dom.ts'
import { dateTime } from '../format.ts'
import type { Page, PageParts } from '../page.ts'
import { createPanel } from '../panel.ts'
import { reasonOf } from '../problems.ts'
import { createWalletSection } from '../wallet-section.ts'

/** All pages of the list: a key that is not shown cannot be revoked here. */
async function readAllKeys(client: Client): Promise<Answer<readonly ApiKey[]>> {
  const keys: ApiKey[] = []
  let last: Answer<unknown> | undefined
  for await (const page of client.pages('listKeys')) {
    keys.push(...page.body.keys)
    last = page
  }
  if (last === undefined) throw new Error('the list has no page')
  return { ...last, body: keys }
}

export function createKeysPage(parts: PageParts): Page {
  const { session, feed } = parts
  let isShown = false
  const table = createTable<ApiKey>({
    caption: 'API keys of this account, newest first', empty: 'No keys.',
    columns: [
      { title: 'Key', cell: ({ keyId }) => el('span', { class: 'address' }, keyId) },
      { title: 'Label', cell: ({ label }) => label ?? '' },
      { title: 'Tier', isMinor: true, cell: ({ tier }) => tier },
      { title: 'Created', isMinor: true, cell: ({ createdAt }) => dateTime(createdAt / 1000) },
      { title: 'Last used', isMinor: true, cell: ({ lastUsedAt }) => (lastUsedAt === null ? 'never' : dateTime(lastUsedAt / 1000)) },
      { title: 'State', cell: stateCell },
    ],
  })
  const status = el('p', { class: 'note', role: 'status' })
  const panel = createPanel({
    feed, session, content: table.element, title: 'API keys', isManual: true,
    read: readAllKeys, render: (keys) => table.setRows(keys), clear: () => table.setRows([]),
  })
  const list = card('keys-heading', 'API keys of this account', table.element, panel.note, status)

  function stateCell({ keyId, revokedAt }: ApiKey): HTMLElement | string {
    if (revokedAt !== null) return `revoked ${dateTime(revokedAt / 1000)}`
    const isInUse = session.key()?.keyId === keyId
    return el('button', {
      type: 'button', class: 'small', 'data-key': keyId, 'aria-label': `Revoke ${keyId}${isInUse ? ', the key in use' : ''}`, click: () => void revoke(keyId),
    }, isInUse ? 'Revoke (in use)' : 'Revoke')
  }

  async function revoke(keyId: string): Promise<void> {
    try {
      await session.client().revokeKey({ keyId })
      status.textContent = `Revoked ${keyId}.`
      if (session.key()?.keyId === keyId) session.setKey(null, null)
      else panel.read()
    } catch (error) {
      status.textContent = `Not revoked: ${reasonOf(error)}.`
    }
  }

  function update(): void {
    list.hidden = session.key() === null && status.textContent === ''
    if (session.key() === null) {
      panel.hide()
      table.setRows([])
    } else if (isShown) panel.read()
  }

  session.onChange(update)
  return {
    title: 'Wallet and keys',
    element: el('div', { class: 'stack' }, el('h1', { tabindex: -1 }, 'Wallet and keys'),
      el('div', { class: 'halves' }, createWalletSection(parts), el('div', { class: 'stack' }, createKeySection(session), list))),
    show() {
      isShown = true
      status.textContent = ''
      update()
    },
    hide() {
      isShown = false
      panel.hide()
    },
  }
}

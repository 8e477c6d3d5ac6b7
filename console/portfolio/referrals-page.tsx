// Referrals: the account's own code with what it earned, its referrer, and the trades and claims of rewards.

import { useEffect, useRef } from 'preact/hooks'
import type { Referrer, ReferralBinding, TradeRequest } from '../../client/src/index.ts'
import { amount, dateTime, UNKNOWN } from '../format.ts'
import { useParts } from '../parts.ts'
import { isSecondGeneration } from '../pools/figures.ts'
import { useListPage } from '../state/use-list-page.ts'
import { useResource } from '../state/use-resource.ts'
import { Outcome } from '../trade/outcome.tsx'
import type { Sender } from '../trade/send.ts'
import { useDisconnected } from '../trade/use-market.ts'
import { useSender } from '../trade/use-sender.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card, Facts, Fresh, PageHeading, ReadNote } from '../ui/layout.tsx'
import { ExplorerLink, TraderLink } from '../ui/links.tsx'
import { Pager } from '../ui/pager.tsx'
import { Table } from '../ui/table.tsx'
import { Name } from '../ui/text.tsx'
import { ConnectButton } from '../wallet/wallet-section.tsx'
import { CodeForm } from './code-form.tsx'
import { NeedsAccount } from './needs-account.tsx'

/** `#/referrals/CODE` proposes the code's owner as the referrer. */
export function ReferralsPage({ path: [proposed = ''] }: { readonly path: readonly string[] }) {
  const { account } = useParts()
  const address = account.owner.value
  return (
    <div class='stack'>
      <PageHeading>Referrals</PageHeading>
      {address === null
        ? (
          <>
            {proposed !== '' && <p>You were invited with the code <b><Name text={proposed} /></b>. Open this link again once your account is connected.</p>}
            <NeedsAccount purpose='create a referral code or to set your referrer' />
          </>
        )
        : <Referrals key={address} proposed={proposed} />}
    </div>
  )
}

function Referrals({ proposed }: { readonly proposed: string }) {
  const { session } = useParts()
  const sender = useSender()
  /** The ledger of the last transaction: later reads include its effects. */
  const minLedger = useRef<number | null>(null)
  const info = useResource('Referral', (client) => client.getMyReferral({}, minLedger.current === null ? {} : { minLedger: minLedger.current }))
  const pool = useResource('Pool', (client) => client.getPool()).answer.value?.body ?? null
  const sending = sender.sending.value
  useEffect(() => {
    if (sending.kind !== 'done') return
    minLedger.current = sending.traded.ledger
    void info.read()
  }, [sending])
  const body = info.answer.value?.body ?? null
  const paysRewards = pool === null ? null : isSecondGeneration(pool)
  const send = (title: string, request: TradeRequest): void => void sender.send([{ title, request: () => request }])
  return (
    <>
      {session.wallet() === null && <div class='row'><ConnectButton /><span class='note'>of this account to sign</span></div>}
      {paysRewards === false && (
        <p class='message' data-rewards='inactive'>
          Rewards are not active: the contracts of this exchange store codes and referrers, but pay no rewards.
        </p>
      )}
      {body !== null && (
        <div class='pair'>
          <Card title='Your code'>
            <Fresh resource={info}>
              <OwnCode self={body.self} paysRewards={paysRewards} sender={sender} onSend={send} />
            </Fresh>
          </Card>
          <Card title='Your referrer'>
            <Fresh resource={info}><OwnReferrer binding={body.binding} proposed={proposed} sender={sender} onSend={send} /></Fresh>
          </Card>
        </div>
      )}
      <Outcome sender={sender} />
      <ReadNote resource={info} />
      <Card title='Rewards'><Rewards emptyText={emptyRewards((body?.self ?? null) !== null, paysRewards)} /></Card>
    </>
  )
}

function emptyRewards(hasCode: boolean, paysRewards: boolean | null): string {
  if (paysRewards === false) return 'No rewarded trades: rewards are not active.'
  return hasCode ? 'No rewarded trades yet. Share your link to refer traders.' : 'No rewarded trades yet. Create a code first: it gives you a link to share.'
}

interface SendProps {
  readonly sender: Sender
  readonly onSend: (title: string, request: TradeRequest) => void
}

interface OwnCodeOptions extends SendProps {
  readonly self: Referrer | null
  /** True if the contracts pay for referred trades; null while unknown. */
  readonly paysRewards: boolean | null
}

function OwnCode({ self, paysRewards, sender, onSend }: OwnCodeOptions) {
  const { session } = useParts()
  if (self === null) {
    return (
      <>
        <p>A code identifies you as the referrer of accounts that set it. An account has one code, which cannot be changed. With it you get a link.</p>
        <CodeForm label='New code' sender={sender} onSubmit={(code) => onSend('Create the referral code', { op: 'create_referral_code', code })} />
      </>
    )
  }
  const blocked = useDisconnected()
  const hasClaimable = BigInt(self.claimable) > 0n
  const canClaim = hasClaimable && session.wallet() !== null && !sender.isBusy()
  return (
    <>
      <Facts
        inline
        rows={[
          ['Code', <b><Name text={self.code} /></b>], ['Created', dateTime(self.createdAt)], ['Referred accounts', String(self.referredCount)],
          [paysRewards === true ? 'Volume of their trades' : 'Fees of their trades', `${amount(self.totalVolumeGenerated)} USDC`],
          ['Earned', `${amount(self.totalEarned)} USDC`],
          ['Claimable', `${amount(self.claimable)} USDC`],
        ]}
      />
      <CopyLink code={self.code} />
      <div class='row'>
        <button
          type='button' disabled={!canClaim} aria-disabled={blocked !== null} onClick={() => {
            if (blocked === null) onSend('Claim the earnings', { op: 'claim_referral' })
          }}
        >
          Claim
        </button>
        {blocked !== null && <span class='note problem'>{blocked}</span>}
        {!hasClaimable && <span class='note'>
            {paysRewards === false ? 'Nothing to claim: rewards are not active.'
              : 'Nothing to claim yet. You earn a part of the fees of the accounts that set your code.'}
          </span>}
      </div>
    </>
  )
}

function CopyLink({ code }: { readonly code: string }) {
  const url = `${location.origin}${location.pathname}#/referrals/${encodeURIComponent(code)}`
  return <div class='row'><code data-link>{url}</code><CopyButton text={url}>Copy link</CopyButton></div>
}

function OwnReferrer({ binding, proposed, sender, onSend }: SendProps & { readonly binding: ReferralBinding | null; readonly proposed: string }) {
  if (binding !== null) {
    return (
      <Facts
        inline
        rows={[
          ['Referrer', <TraderLink address={binding.referrer} length={8} />], ['Code', <Name text={binding.code} />], ['Since', dateTime(binding.boundAt)],
          ['Transaction', <ExplorerLink page='tx' id={binding.txHash} length={8} />],
        ]}
      />
    )
  }
  return (
    <>
      <p>The owner of the code becomes your referrer. An account has one referrer, which cannot be changed.</p>
      <CodeForm
        label='Code of your referrer' initial={proposed} sender={sender} onSubmit={(code) => onSend('Set the referrer', { op: 'set_referrer', code })}
      />
    </>
  )
}

function Rewards({ emptyText }: { readonly emptyText: string }) {
  const { account } = useParts()
  const owner = account.owner.value
  const trades = useListPage('Referral trades', (client, cursor) => client.listMyReferralTrades(cursor), [owner])
  const claims = useListPage('Referral claims', (client, cursor) => client.listMyReferralClaims(cursor), [owner])
  return (
    <>
      <Fresh resource={trades.list}>
        <Table
          caption='Trades of referred accounts, newest first, in USDC' empty={emptyText}
          isLoading={trades.list.answer.value === null}
          rows={trades.list.answer.value?.body.trades ?? []} keyOf={({ id }) => id}
          columns={[
            { title: 'Time', cell: ({ ts }) => dateTime(ts) },
            { title: 'Trader', cell: ({ referee }) => <TraderLink address={referee} /> },
            { title: 'Volume', isNumeric: true, isMinor: true, cell: ({ volume }) => (volume === null ? UNKNOWN : amount(volume)) },
            { title: 'Fee', isNumeric: true, cell: ({ originalFee }) => amount(originalFee) },
            { title: 'Discount', isNumeric: true, isMinor: true, cell: ({ discount }) => amount(discount) },
            { title: 'Reward', isNumeric: true, cell: ({ payout }) => amount(payout) },
            { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
          ]}
        />
      </Fresh>
      <Pager pages={trades} name='referral trades' />
      <Fresh resource={claims.list}>
        <Table
          caption='Your claims, newest first, in USDC' empty='No claims yet.'
          isLoading={claims.list.answer.value === null}
          rows={claims.list.answer.value?.body.claims ?? []} keyOf={({ id }) => id}
          columns={[
            { title: 'Time', cell: ({ ts }) => dateTime(ts) },
            { title: 'Amount', isNumeric: true, cell: (claim) => amount(claim.amount) },
            { title: 'Transaction', isMinor: true, cell: ({ txHash }) => <ExplorerLink page='tx' id={txHash} /> },
          ]}
        />
      </Fresh>
      <Pager pages={claims} name='referral claims' />
      <ReadNote resource={trades.list} />
    </>
  )
}

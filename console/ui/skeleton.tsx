// The shape of a page while its content is loading, so that nothing jumps when it arrives.

/** `isTrade`: of the trade screen; else a heading above a card. */
export function PageSkeleton({ isTrade }: { readonly isTrade: boolean }) {
  return (
    <>
      <p class='visually-hidden' role='status'>Loading…</p>
      {isTrade ? <TradeSkeleton /> : <div class='stack' aria-hidden='true'><Line /><div class='card'><Lines /></div></div>}
    </>
  )
}

/** The labels place the parts in the grid as those of the page. */
function TradeSkeleton() {
  return (
    <div class='trade' aria-hidden='true'>
      <div class='card market-header'><Line /></div>
      <div class='card' aria-label='Chart'><div class='chart'><Lines /></div></div>
      <div class='side'><div class='card'><div class='chart'><Lines /></div></div></div>
      <div class='card' aria-label='Trades'><Lines /></div>
      <div class='card' aria-label='Your account'><Lines /></div>
    </div>
  )
}

/** A grey line of text that has not arrived. */
export function Line() {
  return <span class='skeleton' />
}

function Lines() {
  return <div class='stack'><Line /><Line /><Line /></div>
}

// Shown for a URL that names no page.

import { displayText } from '../../client/src/index.ts'
import { short } from '../format.ts'
import { PageHeading } from '../ui/layout.tsx'

export function NotFoundPage({ name }: { readonly name: string }) {
  return (
    <div class='stack'>
      <PageHeading>Page not found</PageHeading>
      <p>
        {`This console has no page “${displayText(short(name, 12))}”. Check the link, or choose a page above. `}
        <a href='#/trade'>Go to the trade screen</a>
      </p>
    </div>
  )
}

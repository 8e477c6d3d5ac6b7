// An error for the user: the sentence, and its code in small print beside it.

import type { Problem } from '../problems.ts'

export function ProblemText({ problem: { text, code } }: { readonly problem: Problem }) {
  return <>{text}{code !== null && <> <code class='note'>{code}</code></>}</>
}

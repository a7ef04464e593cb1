import { execute } from "../../postgres/_statements.ts"
import { showFigure } from "../_figures.ts"
import { mebibytes } from "../_stores.ts"

/**
 * Measures the bytes of all tables with their indexes ÷ those of the transactions alone without an
 * index; both after VACUUM.
 */
export const benchSize = async (
  { transactions, url }: { readonly transactions: number; readonly url: string }
): Promise<void> => {
  const rows = await execute(
    url,
    "VACUUM ANALYZE",
    `
SELECT relname AS name, pg_total_relation_size(oid) AS total, pg_relation_size(oid) AS heap
FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace ORDER BY 2 DESC`
  )
  const all = rows.reduce((sum, { total }) => sum + Number(total), 0)
  const plain = Number(rows.find(({ name }) => name === "transaction")!.heap)
  const text = rows.slice(0, 4).map(({ heap, name, total }) =>
    `${name} ${mebibytes(Number(heap))} + ${mebibytes(Number(total) - Number(heap))}`
  )
  showFigure({
    name: `${transactions} transactions: all tables with indexes ÷ transactions without an index`,
    bound: "≤ 4",
    measured: (all / plain).toFixed(2),
    conditions: `${mebibytes(all)} ÷ ${mebibytes(plain)}; rows + indexes: ${text.join(", ")}`
  })
}

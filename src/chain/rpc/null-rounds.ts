import { type RequestOptions, type RpcNode, request, requestHeader } from './client.ts';
import { feeHistoryResponse, type Header, toQuantity } from './decode.ts';

/**
 * Heights without a block: "null rounds" of Filecoin, whose nodes answer `null` or an error for them, and leave them out of
 * `eth_feeHistory`, so that row i is not block oldest + i (filecoin-project/lotus#10414, #10909). Here a row stands for each:
 * an empty one, with the fee of the block below.
 */
export interface PlacedRow {
  readonly number: number;
  readonly isNull?: true;
}

/** How many of the newest heights are asked for one without a block, and how long that holds. */
const SEARCHED = 128;
const PARALLEL = 8;
const ASKED_AGAIN_MS = 60_000;

/**
 * Whether a page of so many rows that ends before `head` leaves heights out. On other chains a block came meanwhile, or the
 * node's fees lag behind its head: so it is read again, and a height without a block looked for.
 */
export async function leavesHeightsOut(
  node: RpcNode,
  page: { readonly count: number; readonly last: number },
  head: number,
  options: RequestOptions,
): Promise<boolean> {
  if (page.last >= head || node.hasNullRounds) return node.hasNullRounds;
  const since = performance.now() - (node.searchedNullAt ?? Number.NEGATIVE_INFINITY);
  if (page.count === 0 || since < ASKED_AGAIN_MS) return false;
  const params = [toQuantity(page.count), 'latest', []];
  const again = await request(node, feeHistoryResponse, 'eth_feeHistory', params, options);
  if (again.oldestBlock === null || again.oldestBlock + page.count - 1 >= head) return false;
  node.searchedNullAt = performance.now();
  for (let top = head - 1; top > 0 && top > head - SEARCHED; top -= PARALLEL) {
    const heights = Array.from({ length: Math.min(PARALLEL, top) }, (_, index) => top - index);
    const headers = await Promise.all(heights.map((number) => requestHeader(node, number, options)));
    const missing = heights[headers.indexOf(null)];
    if (missing === undefined) continue;
    // One of several nodes behind an address may lag by a few blocks: asked again, another answers.
    const times = head - missing < 4 ? 4 : 1;
    let isMissing = true;
    for (let time = 0; time < times && isMissing; time++)
      isMissing = (await requestHeader(node, missing, options)) === null;
    node.hasNullRounds = isMissing;
    if (isMissing) return true;
  }
  return false;
}

/** Rows over the heights up to `top`: the first where it says, the others evenly, since nobody says where. */
export function spread<Row extends PlacedRow>(rows: readonly Row[], top: number): Row[] {
  const [first] = rows;
  if (first === undefined) return [];
  const step = rows.length === 1 ? 0 : Math.max((top - first.number) / (rows.length - 1), 1);
  return filled(
    rows.map((row, index) => ({ ...row, number: first.number + Math.round(index * step) })),
    top,
  );
}

/** The same where headers tell which of the newest heights have a block: `heights`, of all from the lowest of them to `top`. */
export function aligned<Row extends PlacedRow>(
  rows: readonly Row[],
  heights: readonly number[],
  top: number,
): Row[] {
  const real = rows.filter((row) => !row.isNull);
  const exact = heights.toSorted((a, b) => a - b).slice(-real.length);
  const others = real.slice(0, real.length - exact.length);
  const placed = exact.map((number, index) => ({ ...(real[others.length + index] as Row), number }));
  const lowest = placed[0]?.number ?? top + 1;
  return [...spread(others, lowest - 1), ...filled(placed, top)];
}

/** With an empty row for each height that has none, up to `top`. */
function filled<Row extends PlacedRow>(rows: readonly Row[], top: number): Row[] {
  return rows.flatMap((row, index) => {
    const next = rows[index + 1]?.number ?? top + 1;
    const empty = { ...row, isNull: true as const, tips: null };
    const above = Array.from({ length: Math.max(next - row.number - 1, 0) }, (_, offset) => ({
      ...empty,
      number: row.number + 1 + offset,
    }));
    return [row, ...above];
  });
}

/** No chain leaves out as many in a row. */
const MOST_IN_A_ROW = 16;

/** The header at a height; of one without a block, that of the block below in its place, so that the next one follows it. */
export async function headerInPlace(
  node: RpcNode,
  number: number,
  options: RequestOptions,
): Promise<Pick<Header, 'number' | 'hash' | 'parentHash'> | null> {
  for (let at = number; at >= 0 && number - at < MOST_IN_A_ROW; at--) {
    const header = await requestHeader(node, at, options);
    if (header !== null || !node.hasNullRounds)
      return header && at < number ? { number, hash: header.hash, parentHash: header.hash } : header;
  }
  return null;
}

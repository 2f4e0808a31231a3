import { useContext, useEffect, useState } from 'react';
import type { AutoTxContent } from '../../client/views/describe-auto-txs.ts';
import type { DescribedCall } from '../../core/transactions/known-calls.ts';
import { MemoryContext } from '../app/ui-state.ts';

/** What a transaction calls, as far as its data tells; `null`: it calls nothing, or nobody can say (yet). */
export type DescribeCall = (call: AutoTxContent) => DescribedCall | null;

const NOT_YET: DescribeCall = () => null;
const KEPT = 'described-calls';

/** Describes calls, once what knows them is loaded: that is no part of the monitor's start. */
export function useDescribedCalls(): DescribeCall {
  const memory = useContext(MemoryContext);
  const [loaded, setLoaded] = useState<{ readonly describe: DescribeCall } | null>(
    () => (memory.get(KEPT) as { readonly describe: DescribeCall } | undefined) ?? null,
  );
  useEffect(() => {
    if (loaded !== null) return;
    let isWanted = true;
    void loadDescriber().then((describe) => {
      memory.set(KEPT, { describe });
      if (isWanted) setLoaded({ describe });
    });
    return () => {
      isWanted = false;
    };
  }, [loaded, memory]);
  return loaded?.describe ?? NOT_YET;
}

async function loadDescriber(): Promise<DescribeCall> {
  const { describeCall } = await import('../../core/transactions/known-calls.ts');
  // The rows of a list are drawn at every key, and are the same ones as long as nothing about them changes.
  const described = new WeakMap<AutoTxContent, DescribedCall | null>();
  return (call) => {
    const known = described.get(call);
    if (known !== undefined) return known;
    const { data, to } = call;
    const found = data === null || data === '0x' || to === null ? null : describeCall(data, to);
    described.set(call, found);
    return found;
  };
}

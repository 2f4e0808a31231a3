import { useEffect, useState } from 'react';
import type { CheckedAlert } from '../../../contract/check-alert.ts';

export type CheckAlert = (body: unknown) => CheckedAlert;

/** Loads the contract's own check of a new alert: schemas are no part of the monitor's start. */
export async function loadAlertCheck(): Promise<CheckAlert> {
  const [{ checkAlert }, { ANY_SERVICE }] = await Promise.all([
    import('../../../contract/check-alert.ts'),
    import('../../../contract/alert-targets.ts'),
  ]);
  return (body) => checkAlert(body, ANY_SERVICE);
}

/** The check, `null` until it is loaded. */
export function useAlertCheck(): CheckAlert | null {
  const [check, setCheck] = useState<{ readonly run: CheckAlert } | null>(null);
  useEffect(() => {
    let isWanted = true;
    void loadAlertCheck().then((run) => {
      if (isWanted) setCheck({ run });
    });
    return () => {
      isWanted = false;
    };
  }, []);
  return check?.run ?? null;
}

import { useEffect, useState } from 'react';
import type { TargetRules } from '../../../contract/alert-targets.ts';
import type { CheckedAlert } from '../../../contract/check-alert.ts';

export type CheckAlert = (body: unknown) => CheckedAlert;

/** The contract's own check of a new alert; `null` until it is loaded: schemas are no part of the monitor's start. */
export function useAlertCheck(): CheckAlert | null {
  const [check, setCheck] = useState<{ readonly run: CheckAlert } | null>(null);
  useEffect(() => {
    let isWanted = true;
    void Promise.all([
      import('../../../contract/check-alert.ts'),
      import('../../../contract/alert-targets.ts'),
    ]).then(([{ checkAlert }, { ANY_SERVICE }]) => {
      const rules: TargetRules = ANY_SERVICE;
      if (isWanted) setCheck({ run: (body) => checkAlert(body, rules) });
    });
    return () => {
      isWanted = false;
    };
  }, []);
  return check?.run ?? null;
}

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';

/** Once the prices come again, everything else that had failed is asked for again too, once. */
export function useRecovery(failing: boolean): void {
  const queries = useQueryClient();
  const failed = useRef(failing);
  useEffect(() => {
    if (failed.current && !failing) {
      const type = 'active' as const;
      void queries.refetchQueries({ type, predicate: ({ state }) => state.status === 'error' });
    }
    failed.current = failing;
  }, [failing, queries]);
}

import { type ReactNode, useEffect } from 'react';
import { waitFor } from '../helpers/wait-for.ts';

interface EffectsRunProps<T> {
  /** What this rendering was asked for. */
  readonly of: T;
  readonly told: (of: T) => void;
  readonly children: ReactNode;
}

/** Tells once the effects of all it holds have run, some time after a rendering: only then does polling do as it was told. */
export function EffectsRun<T>({ of, told, children }: EffectsRunProps<T>) {
  useEffect(() => told(of), [of, told]);
  return children;
}

/** For {@link EffectsRun}: `ran` waits until the effects of the rendering for `of` have run. */
export function watchEffects<T>() {
  let last: T | undefined;
  return {
    told: (of: T) => {
      last = of;
    },
    ran: (of: T) => waitFor(() => last === of),
  };
}

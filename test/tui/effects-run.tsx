import { type ReactNode, useEffect } from 'react';

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

/** Numbers from a seed, the same each time (mulberry32). */
export interface Chance {
  whole(below: number): number;
  once(times: number): boolean;
  pick<T>(of: readonly T[]): T;
}

export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (below: number) => Math.floor(next() * below);
  return {
    whole,
    once: (times) => whole(times) === 0,
    pick: (of) => {
      const picked = of[whole(of.length)];
      if (picked === undefined) throw new RangeError('there is nothing to pick from');
      return picked;
    },
  };
}

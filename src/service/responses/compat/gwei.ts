import { gweiString } from '../../../core/units.ts';

/** Wei per gas as gwei with every decimal: `0.082455567`; `null` stays `null`. */
export const gweiText = (wei: number | null): string | null =>
  wei === null ? null : gweiString(BigInt(wei));

export const gwei = (wei: number | null): number | null => (wei === null ? null : Number(gweiText(wei)));

/** The released version; the build puts it in. */
export const VERSION: string = process.env.GASTOP_VERSION ?? '0.0.0-source';

/** The released version; the build puts it in. */
const VERSION: string = process.env.GASTOP_VERSION ?? '0.0.0-source';

/** Who posts. */
export const USER_AGENT = `gastop/${VERSION}`;

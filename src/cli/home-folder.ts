import { homedir, userInfo } from 'node:os';

/**
 * The user's home folder: what HOME says, else the list of users; `/` for one that has neither, as containers do it.
 * An empty HOME says nothing: what is kept must not come to lie in whatever folder gastop is started in.
 */
export function homeFolder(): string {
  try {
    return homedir() || userInfo().homedir || '/';
  } catch {
    // A number that the list of users does not know, and no HOME: a container that runs as somebody.
    return '/';
  }
}

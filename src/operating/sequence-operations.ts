import { users } from '../accounts/users.ts';
import { currentTimestamp } from '../core/clock.ts';
import type { ServerScope } from '../db/scope.ts';
import type { PublishingServices } from '../programs/publishing.ts';
import { findSequenceOwner, publishSequence } from '../programs/publishing.ts';

interface Dependencies {
  readonly server: () => ServerScope;
  readonly publishing: PublishingServices;
}

export const sequenceOperations = ({ server, publishing }: Dependencies) => ({
  /** Publishes a sequence whatever its content. Without a `copyright`, it keeps its own, else gets its owner's name. False: there is no such sequence. */
  async publish(id: number, copyright?: string): Promise<boolean> {
    const owner = await findSequenceOwner(server(), id);
    if (!owner) return false;
    await server()
      .device(owner.deviceId)
      .transaction(async (scope) => {
        const [user] = await scope.rows(users);
        const fallback = `Copyright ${currentTimestamp(scope.clock).slice(0, 4)} ${user?.name ?? ''}`;
        const body = { copyright: copyright ?? owner.copyright ?? fallback };
        await publishSequence(scope, publishing, { sequenceId: id, body, force: true });
      });
    return true;
  },
});

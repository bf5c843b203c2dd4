import type { Foundation, Room } from '../foundation.ts';
import type { AuthorDirectory } from '../programs/publishing.ts';
import type { BulletinOperations } from './bulletin-operations.ts';
import { bulletinOperations } from './bulletin-operations.ts';
import type { DeviceOperations } from './device-operations.ts';
import { deviceOperations } from './device-operations.ts';
import type { ReleaseOperations } from './release-operations.ts';
import { releaseOperations } from './release-operations.ts';
import type { ReloadOperations } from './reload-announcement.ts';
import { reloadAnnouncement, reloadOperations } from './reload-announcement.ts';
import type { SequenceOperations } from './sequence-operations.ts';
import { sequenceOperations } from './sequence-operations.ts';
import { updateRequests } from './update-requests.ts';

/** What operators' tasks need from settings and other rooms. */
export interface OperatingDependencies {
  readonly authors: AuthorDirectory;
  /** The name of the build that runs. */
  readonly revision: string;
}

/** Releases of the robot's system, bulletins, device limits, publishing. */
export interface Operating extends Room {
  readonly operations: {
    readonly devices: DeviceOperations;
    readonly sequences: SequenceOperations;
    readonly releases: ReleaseOperations;
    readonly bulletins: BulletinOperations;
    readonly reload: ReloadOperations;
  };
}

/** Opens the operators' tasks. */
export function openOperating(foundation: Foundation, { authors, revision }: OperatingDependencies): Operating {
  const { server, queue, messages } = foundation;
  return {
    routes: [],
    jobs: [
      updateRequests((message) => messages.publish(message)),
      reloadAnnouncement((message) => messages.publish(message)),
    ],
    operations: {
      devices: deviceOperations({ server }),
      sequences: sequenceOperations({ server, authors }),
      releases: releaseOperations({ server }),
      bulletins: bulletinOperations({ server }),
      reload: reloadOperations({ server, queue, revision }),
    },
  };
}

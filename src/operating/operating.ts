import type { Foundation, Room } from '../foundation.ts';
import { reloadAnnouncement } from './reload-announcement.ts';
import { updateRequests } from './update-requests.ts';

/** Opens the operators' tasks: the jobs that follow from releases and from their commands. */
export function openOperating({ messages }: Foundation): Room {
  return {
    routes: [],
    jobs: [
      updateRequests((message) => messages.publish(message)),
      reloadAnnouncement((message) => messages.publish(message)),
    ],
  };
}

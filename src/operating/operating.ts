import type { Foundation, Room } from '../foundation.ts';
import { feedbackMails, feedbackRoute } from './feedback.ts';
import { reloadAnnouncement } from './reload-announcement.ts';
import { updateRequests } from './update-requests.ts';

/** What operators' tasks need from settings. */
export interface OperatingDependencies {
  /** The address that gets the feedback of users; null: it is only stored. */
  readonly operator: string | null;
}

/** Opens the operators' tasks: the feedback that they get, and the jobs that follow from releases and from their commands. */
export function openOperating({ messages, queue, mail }: Foundation, { operator }: OperatingDependencies): Room {
  const feedback = { queue, mail, operator };
  return {
    routes: [feedbackRoute(feedback)],
    jobs: [
      updateRequests((message) => messages.publish(message)),
      reloadAnnouncement((message) => messages.publish(message)),
      feedbackMails(feedback),
    ],
  };
}

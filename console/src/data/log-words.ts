import type { Language } from '../../../src/core/languages.ts';
import { storedMessages } from '../../../src/core/stored-messages.ts';
import { sayOfRobot } from '../../../src/robot/log-messages.ts';
import { getLanguage } from '../ui/language.ts';

/** Longer logs are no sentences of a robot, such as the output of a script; comparing them with all sentences takes long. */
const maxLength = 500;

const read = storedMessages(sayOfRobot);

/** Returns the message of a robot as it is shown: the sentences of virtual robots are translated. */
export const logInWords = (message: string, language: Language = getLanguage()): string =>
  message.length > maxLength ? message : (read(message)?.in(language) ?? message);

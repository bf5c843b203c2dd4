import { useQuery } from '@tanstack/react-query';
import type { LinkProps } from '@tanstack/react-router';
import { singleQueries, useIsAdministrator } from '../data/singles.ts';
import {
  Bot,
  Boxes,
  CalendarDays,
  Camera,
  CircleUser,
  Gauge,
  History,
  type Icon,
  ListOrdered,
  MapIcon,
  ScrollText,
  Server,
  Settings,
  Sprout,
} from '../ui/icons.tsx';
import { shellText } from './text.ts';

/** A page in the navigation. */
export interface Entry {
  readonly to: NonNullable<LinkProps['to']>;
  readonly label: string;
  readonly icon: Icon;
  /** Also at the bottom of a phone, where there is room for four. */
  readonly isMain?: boolean;
}

/** THE list of pages in the navigation, in order. */
export const navigation = (isAdministrator = false): readonly Entry[] => {
  const text = shellText();
  return [
    { to: '/map', label: text.map, icon: MapIcon, isMain: true },
    { to: '/robot', label: text.robot, icon: Bot, isMain: true },
    { to: '/programs', label: text.programs, icon: ListOrdered, isMain: true },
    { to: '/schedule', label: text.schedule, icon: CalendarDays, isMain: true },
    { to: '/regimens', label: text.regimens, icon: Sprout },
    { to: '/sensors', label: text.sensors, icon: Gauge },
    { to: '/logs', label: text.logs, icon: ScrollText },
    { to: '/photos', label: text.photos, icon: Camera },
    { to: '/history', label: text.history, icon: History },
    { to: '/things', label: text.things, icon: Boxes },
    { to: '/settings', label: text.settings, icon: Settings },
    { to: '/account', label: text.account, icon: CircleUser },
    ...(isAdministrator ? [{ to: '/server', label: text.server, icon: Server } as const] : []),
  ];
};

/** Returns the pages that the navigation shows. Search and the phone's menu follow it. Neither suspends nor throws. */
export function useNavigation(): readonly Entry[] {
  const entries = navigation(useIsAdministrator());
  const { data } = useQuery(singleQueries.webAppConfig);
  return data?.hide_sensors ? entries.filter(({ to }) => to !== '/sensors') : entries;
}

import { queryOptions, useQuery } from '@tanstack/react-query';
import { getLanguage } from '../ui/language.ts';
import { api, bodyOf } from './api.ts';
import type { components } from './generated/api.ts';
import { queryClient } from './query-client.ts';

/** A garden plant of the catalog: names, sizes in mm, times. */
export type Crop = components['schemas']['Crop'];

/** More than the catalog has. */
const limit = 1000;

const cropsQuery = queryOptions({
  queryKey: ['crops'],
  queryFn: async () => {
    const crops = await bodyOf(api.GET('/api/crops', { params: { query: { limit } } }));
    return new Map(crops.map((crop) => [crop.slug, crop]));
  },
});

const none: ReadonlyMap<string, Crop> = new Map();

/** Returns the catalog by slugs; it is empty until it was read. */
export const useCrops = (): ReadonlyMap<string, Crop> => useQuery(cropsQuery).data ?? none;

const searchQuery = (search: string) =>
  queryOptions({
    queryKey: ['crops', search],
    queryFn: () => bodyOf(api.GET('/api/crops', { params: { query: { search, limit: 30 } } })),
    placeholderData: (previous) => previous,
  });

/** Returns crops by a name in any language, the best match first; undefined until they were read. */
export const useCropSearch = (search: string): readonly Crop[] | undefined =>
  useQuery({ ...searchQuery(search.trim()), enabled: search.trim() !== '' }).data;

/** Reads the crop that {@link useCropSearch} has first for this text; undefined without a match. */
export async function bestCrop(search: string): Promise<Crop | undefined> {
  const name = search.trim();
  // The list may still belong to an earlier input.
  return name === '' ? undefined : (await queryClient.ensureQueryData(searchQuery(name)))[0];
}

/** The name of a crop in the language of the page. */
export const cropName = ({ names }: Crop): string => names[getLanguage()];

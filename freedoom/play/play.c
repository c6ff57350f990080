/* play.c - Freedoom to play: a window, keys and a mouse around game.h.
 *
 *     freedoom_play --help */
#include "atlas.h"
#include "demo.h"
#include "game.h"
#include "host.h"
#include "keys.h"
#include "peers.h"
#include "shot.h"
#include "times.h"

#include <SDL.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef FREEDOOM_WAD_FOLDER
#define FREEDOOM_WAD_FOLDER "/usr/share/games/doom" /* where Debian's package puts them */
#endif

typedef struct Arguments {
    const char* wads[GAME_FILES];
    uint32_t wad_count, workers, demo, record;
    const char* map;
    bool only, measure, help;
    int width, height;
    uint64_t seed;
    bool serves;              /* others join */
    char host[200];           /* to join; "": none */
    const char* pages;        /* the folder of the page that joins; NULL: none */
    uint32_t port;            /* of the host */
    uint32_t players, player; /* together; 1: the host */
} Arguments;

#define PLAY_PORT 7777

typedef struct Window {
    SDL_Window* window;
    SDL_Renderer* renderer;
    SDL_Texture* texture;
    bool quits;
    bool holds; /* the sound until the end, for SDL's driver "disk": a demonstration is faster */
    uint8_t* held;
    size_t held_size;
    SDL_AudioDeviceID audio; /* 0: there is no sound */
    Times times;
} Window;

static const char window_help[] =
    "Plays Freedoom: all maps are simulated together, one is shown.\n"
    "\n"
    "usage: freedoom_play [options]\n"
    "  --map NAME     begin there (default: MAP01)\n"
    "  --only         simulate no other map\n"
    "  --wad FILE     read levels and pictures from FILE; may be repeated\n"
    "  --size WxH     of the picture (default: 640x400)\n"
    "  --seed N       of all chance (default: 1)\n"
    "  --workers N    threads (default: 0, as many as the machine has)\n"
    "  --serve        others join: player 1 of --map, which is the only one\n"
    "  --join HOST    joins a player at HOST; the same --map and --seed\n"
    "  --pages DIR    with --serve: pages in browsers join too; DIR is what make web made\n"
    "  --port N       where the host listens, by UDP (default: 7777); also --join HOST:N\n"
    "  --players N    how many play, 2 to 4, equal for all (default: 2)\n"
    "  --player N     who one is, 2 to 4 (default: 2)\n"
    "  --demo [N]     plays N frames by itself, writes pictures to out/, prints\n"
    "                 what was done, and fails if something was not\n"
    "  --record N     with --demo: writes each N-th frame to out/play-00001.png and so on\n"
    "  --measure      prints how long frames take: playing, a minute rewound, ever more\n"
    "                 monsters\n"
    "  --help         this text; the key H shows the keys\n";

/* --- arguments -------------------------------------------------------------------------------- */

static bool arguments_value(Arguments* to, const char* name, const char* value)
{
    if (strcmp(name, "--map") == 0) {
        to->map = value;
    } else if (strcmp(name, "--wad") == 0 && to->wad_count < GAME_FILES) {
        to->wads[to->wad_count++] = value;
    } else if (strcmp(name, "--seed") == 0) {
        to->seed = strtoull(value, NULL, 10);
    } else if (strcmp(name, "--record") == 0) {
        to->record = (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(name, "--workers") == 0) {
        to->workers = (uint32_t)strtoul(value, NULL, 10);
    } else if (strcmp(name, "--join") == 0) {
        const char* colon = strrchr(value, ':');
        size_t length = colon != NULL ? (size_t)(colon - value) : strlen(value);
        snprintf(to->host, sizeof to->host, "%.*s", (int)length, value);
        to->port = colon != NULL ? (uint32_t)strtoul(colon + 1, NULL, 10) : to->port;
        return length != 0 && length < sizeof to->host && to->port - 1 < 65535;
    } else if (strcmp(name, "--pages") == 0) {
        to->pages = value;
    } else if (strcmp(name, "--port") == 0) {
        to->port = (uint32_t)strtoul(value, NULL, 10);
        return to->port - 1 < 65535;
    } else if (strcmp(name, "--players") == 0) {
        to->players = (uint32_t)strtoul(value, NULL, 10);
        return to->players >= 2 && to->players <= COMPONENT_PLAYERS;
    } else if (strcmp(name, "--player") == 0) {
        to->player = (uint32_t)strtoul(value, NULL, 10);
        return to->player >= 2 && to->player <= COMPONENT_PLAYERS;
    } else if (strcmp(name, "--size") == 0) {
        char* end;
        to->width = (int)strtol(value, &end, 10);
        to->height = *end == 'x' ? (int)strtol(end + 1, NULL, 10) : 0;
        return to->width >= 64 && to->width <= 4096 && to->height >= 64 && to->height <= 4096;
    } else {
        return false;
    }
    return true;
}

static bool arguments_parse(Arguments* to, int count, char** texts, Fault* fault)
{
    *to = (Arguments){.map = "MAP01",
                      .width = 640,
                      .height = 400,
                      .seed = 1,
                      .port = PLAY_PORT,
                      .players = 2,
                      .player = 2};
    for (int i = 1; i < count; ++i) {
        if (strcmp(texts[i], "--help") == 0) {
            to->help = true;
        } else if (strcmp(texts[i], "--only") == 0) {
            to->only = true;
        } else if (strcmp(texts[i], "--serve") == 0) {
            to->serves = true;
        } else if (strcmp(texts[i], "--measure") == 0) {
            to->measure = true;
        } else if (strcmp(texts[i], "--demo") == 0) {
            bool number = i + 1 < count && texts[i + 1][0] >= '0' && texts[i + 1][0] <= '9';
            to->demo = number ? (uint32_t)strtoul(texts[++i], NULL, 10) : DEMO_END;
        } else if (i + 1 >= count || !arguments_value(to, texts[i], texts[i + 1])) {
            return fault_set(fault, "%s: not understood; try --help", texts[i]);
        } else {
            ++i;
        }
    }
    if (to->serves || to->host[0] != '\0') {
        to->player = to->serves ? 1 : to->player;
        to->only = true;
        if ((to->serves && to->host[0] != '\0') || to->measure) {
            return fault_set(fault, "--serve, --join and --measure: one of them");
        }
        if (to->player > to->players) {
            return fault_set(fault, "--player %u: there are --players %u", to->player, to->players);
        }
    }
    if (to->wad_count == 0) {
        to->wads[to->wad_count++] = FREEDOOM_WAD_FOLDER "/freedoom1.wad";
        to->wads[to->wad_count++] = FREEDOOM_WAD_FOLDER "/freedoom2.wad";
    }
    return true;
}

/* --- the window ------------------------------------------------------------------------------- */

/* A machine without sound plays without. */
static void window_open_sound(Window* window)
{
    SDL_AudioSpec want = {
        .freq = (int)SOUND_RATE, .format = AUDIO_S16SYS, .channels = 2, .samples = 512};
    if (SDL_InitSubSystem(SDL_INIT_AUDIO) == 0) {
        window->audio = SDL_OpenAudioDevice(NULL, 0, &want, NULL, 0);
        SDL_PauseAudioDevice(window->audio, window->holds);
    }
}

static bool window_open(Window* window, const Arguments* arguments, Fault* fault)
{
    *window = (Window){0};
    bool alone = arguments->demo != 0 || arguments->measure;
    int scale = !alone && arguments->width <= 640 ? 2 : 1;
    if (!times_init(&window->times) || SDL_Init(SDL_INIT_VIDEO) != 0) {
        return fault_set(fault, "no window: %s", SDL_GetError());
    }
    SDL_SetHint(SDL_HINT_RENDER_SCALE_QUALITY, "0");
    /* Where there is no graphics card, OpenGL is threads that take 2 ms a frame from the game's. */
    SDL_SetHint(SDL_HINT_FRAMEBUFFER_ACCELERATION, "0");
    window->window =
        SDL_CreateWindow("Freedoom on Sett", SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                         arguments->width * scale, arguments->height * scale, SDL_WINDOW_RESIZABLE);
    uint32_t flags = alone ? SDL_RENDERER_SOFTWARE : SDL_RENDERER_PRESENTVSYNC;
    if (window->window != NULL) {
        window->renderer = SDL_CreateRenderer(window->window, -1, flags);
    }
    if (window->renderer != NULL) {
        window->texture =
            SDL_CreateTexture(window->renderer, SDL_PIXELFORMAT_RGB888, SDL_TEXTUREACCESS_STREAMING,
                              arguments->width, arguments->height);
    }
    if (window->texture == NULL) {
        return fault_set(fault, "no window: %s", SDL_GetError());
    }
    const char* driver = SDL_getenv("SDL_AUDIODRIVER");
    window->holds = arguments->demo != 0 && driver != NULL && strcmp(driver, "disk") == 0;
    if (!alone) {
        window_open_sound(window);
    }
    SDL_RenderSetLogicalSize(window->renderer, arguments->width, arguments->height);
    if (!alone) {
        SDL_SetRelativeMouseMode(SDL_TRUE);
    }
    return true;
}

/* All that was held, as fast as the file takes it. */
static void window_write_sound(Window* window)
{
    window_open_sound(window);
    SDL_QueueAudio(window->audio, window->held, (uint32_t)window->held_size);
    SDL_PauseAudioDevice(window->audio, 0);
    while (window->audio != 0 && SDL_GetQueuedAudioSize(window->audio) != 0) {
        SDL_Delay(1);
    }
}

/* What has not been played after a fifth of a second would lag behind the picture. */
static void window_sound(Window* window, Play* play, float seconds)
{
    int16_t pairs[SOUND_RATE / 4][2];
    const uint32_t most = SOUND_RATE / 5 * (uint32_t)sizeof pairs[0];
    size_t size = game_listen(play, seconds, pairs[0], SOUND_RATE / 4) * sizeof pairs[0];
    if (window->audio != 0 && SDL_GetQueuedAudioSize(window->audio) < most) {
        SDL_QueueAudio(window->audio, pairs, (uint32_t)size);
    }
    uint8_t* grown = window->holds ? realloc(window->held, window->held_size + size) : NULL;
    if (grown != NULL) {
        memcpy(grown + window->held_size, pairs, size);
        window->held = grown;
        window->held_size += size;
    }
}

static void window_close(Window* window)
{
    if (window->holds) {
        window_write_sound(window);
    }
    SDL_CloseAudioDevice(window->audio);
    free(window->held);
    times_deinit(&window->times);
    SDL_DestroyTexture(window->texture);
    SDL_DestroyRenderer(window->renderer);
    SDL_DestroyWindow(window->window);
    SDL_Quit();
}

static void window_present(Window* window, const Render* render)
{
    void* pixels;
    int stride;
    if (SDL_LockTexture(window->texture, NULL, &pixels, &stride) == 0) {
        render_copy_rows(render, pixels, (size_t)stride / sizeof(uint32_t));
        SDL_UnlockTexture(window->texture);
    }
    SDL_RenderClear(window->renderer);
    SDL_RenderCopy(window->renderer, window->texture, NULL, NULL);
    SDL_RenderPresent(window->renderer);
}

/* --- keys ------------------------------------------------------------------------------------- */

typedef struct WindowKey {
    SDL_Scancode key;
    uint32_t bit; /* KEY_* */
} WindowKey;

static const WindowKey window_keys[] = {
    {SDL_SCANCODE_W, KEY_FORWARD},        {SDL_SCANCODE_UP, KEY_FORWARD},
    {SDL_SCANCODE_S, KEY_BACKWARD},       {SDL_SCANCODE_DOWN, KEY_BACKWARD},
    {SDL_SCANCODE_A, KEY_LEFT},           {SDL_SCANCODE_D, KEY_RIGHT},
    {SDL_SCANCODE_LEFT, KEY_TURN_LEFT},   {SDL_SCANCODE_RIGHT, KEY_TURN_RIGHT},
    {SDL_SCANCODE_LCTRL, KEY_FIRE},       {SDL_SCANCODE_E, KEY_USE},
    {SDL_SCANCODE_SPACE, KEY_USE},        {SDL_SCANCODE_R, KEY_REWIND},
    {SDL_SCANCODE_BACKSPACE, KEY_REWIND}, {SDL_SCANCODE_TAB, KEY_MAP},
    {SDL_SCANCODE_H, KEY_HELP},           {SDL_SCANCODE_C, KEY_COSTS},
    {SDL_SCANCODE_K, KEY_KILL_CAM},       {SDL_SCANCODE_N, KEY_NEXT_MAP},
    {SDL_SCANCODE_M, KEY_CROWD},
};

static uint32_t window_bit(SDL_Scancode key)
{
    if (key >= SDL_SCANCODE_1 && key <= SDL_SCANCODE_9) {
        return (uint32_t)KEY_WEAPON << (key - SDL_SCANCODE_1);
    }
    for (size_t i = 0; i < sizeof window_keys / sizeof window_keys[0]; ++i) {
        if (window_keys[i].key == key) {
            return window_keys[i].bit;
        }
    }
    return 0;
}

static uint32_t window_button(uint8_t button)
{
    return button == SDL_BUTTON_LEFT ? KEY_FIRE : button == SDL_BUTTON_RIGHT ? KEY_USE : 0;
}

static GameControls window_controls(Window* window, float seconds)
{
    uint32_t pressed = 0;
    float mouse = 0.0f;
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT ||
            (event.type == SDL_KEYDOWN && event.key.keysym.scancode == SDL_SCANCODE_ESCAPE)) {
            window->quits = true;
        } else if (event.type == SDL_KEYDOWN && event.key.repeat == 0) {
            pressed |= window_bit(event.key.keysym.scancode);
        } else if (event.type == SDL_MOUSEBUTTONDOWN) {
            pressed |= window_button(event.button.button);
        } else if (event.type == SDL_MOUSEMOTION) {
            mouse += (float)event.motion.xrel;
        }
    }
    int count;
    const uint8_t* keys = SDL_GetKeyboardState(&count);
    uint32_t buttons = SDL_GetMouseState(NULL, NULL), held = 0;
    for (int key = 0; key < count; ++key) {
        held |= keys[key] != 0 ? window_bit((SDL_Scancode)key) : 0;
    }
    held |= (buttons & SDL_BUTTON_LMASK) != 0 ? KEY_FIRE : 0;
    held |= (buttons & SDL_BUTTON_RMASK) != 0 ? KEY_USE : 0;
    return keys_controls(held, pressed, mouse, seconds);
}

/* --- the whole -------------------------------------------------------------------------------- */

static void window_note(Window* window, Play* play, uint64_t time)
{
    times_note(&window->times, play, time);
    game_note_time(play, time);
}

static bool window_play(Window* window, Play* play, Fault* fault)
{
    uint64_t last = host_nanoseconds();
    while (!window->quits) {
        uint64_t now = host_nanoseconds();
        float seconds = (float)(now - last) * 1e-9f;
        last = now;
        GameControls controls = window_controls(window, seconds);
        play->hud.frames_a_second = seconds > 0.0f ? (uint32_t)(1.0f / seconds + 0.5f) : 0;
        if (!game_frame(play, seconds < 0.2f ? seconds : 0.2f, &controls, fault)) {
            return false;
        }
        window_sound(window, play, seconds);
        window_note(window, play, host_nanoseconds() - now);
        window_present(window, play->render);
    }
    return true;
}

/* A sixtieth of a second of the game, as fast as it can be made and shown. */
static bool window_step(Window* window, Play* play, const GameControls* controls, Fault* fault)
{
    SDL_PumpEvents();
    window->quits = window->quits || SDL_HasEvent(SDL_QUIT) == SDL_TRUE;
    uint64_t start = host_nanoseconds();
    bool good = game_frame(play, DEMO_SECONDS, controls, fault);
    window_sound(window, play, DEMO_SECONDS);
    window_present(window, play->render);
    uint64_t time = host_nanoseconds() - start;
    window_note(window, play, time);
    play->hud.frames_a_second = (uint32_t)(1e9f / (float)time);
    return good;
}

static bool window_show_demo(Window* window, Play* play, const Arguments* arguments, Fault* fault)
{
    Demo demo;
    bool good = demo_init(&demo, arguments->demo) || fault_set(fault, "out of memory");
    play->patient = true;
    while (good && demo.frame < arguments->demo && !window->quits) {
        GameControls controls = demo_controls(&demo, play);
        good = window_step(window, play, &controls, fault) && shot_take_due(&demo, play, fault) &&
               shot_record(&demo, play, arguments->record, fault);
    }
    demo_deinit(&demo);
    return good;
}

/* --- measuring -------------------------------------------------------------------------------- */

static bool window_time_frames(Window* window, Play* play, const char* what, uint32_t frames,
                               const GameControls* controls, Fault* fault)
{
    bool good = true;
    times_clear(&window->times);
    for (uint32_t i = 0; good && i < frames; ++i) {
        good = window_step(window, play, controls, fault);
    }
    times_print(&window->times, play->sim, what);
    return good;
}

/* Twice as many monsters again and again, while a tick takes less than a tick may. */
static bool window_measure_crowd(Window* window, Play* play, Fault* fault)
{
    const float most = 1e3f / (float)SIMULATION_TICKS_A_SECOND;
    GameControls more = {.crowd = true}, none = {.turn = 0.02f};
    for (uint32_t largest = 0;;) {
        uint32_t monsters = sett_component_count(play->sim->world, Monster_id);
        if (!window_time_frames(window, play, "crowd", 240, &none, fault)) {
            return false;
        }
        printf("  monsters  %lu: %.1f ms a tick\n", (unsigned long)monsters,
               (double)play->hud.tick_time);
        if (play->hud.tick_time > most || monsters == 0) {
            printf("crowd       %lu monsters at %u ticks a second\n", (unsigned long)largest,
                   SIMULATION_TICKS_A_SECOND);
            return true;
        }
        largest = monsters;
        do {
            if (!window_step(window, play, &more, fault)) {
                return false;
            }
        } while (sett_component_count(play->sim->world, Monster_id) <= monsters);
    }
}

static bool window_check_memory(const Session* session, Fault* fault)
{
    printf("snapshots   %.1f MB at most; taken in %.2f ms, restored in %.2f ms at most\n",
           (double)session->kept * 1e-6, (double)session->snapshot_time * 1e-6,
           (double)session->restore_time * 1e-6);
    return session->kept <= SESSION_BYTES || fault_set(fault, "snapshots keep too much memory");
}

static bool window_measure(Window* window, Play* play, Fault* fault)
{
    const uint32_t minute = SESSION_SECONDS * 60;
    GameControls walks = {.forward = 100, .turn = 0.01f}, back = {.rewind = true},
                 none = {.turn = 0};
    return window_time_frames(window, play, "playing", minute + 60, &walks, fault) &&
           window_time_frames(window, play, "rewinding", minute / 4, &back, fault) &&
           window_time_frames(window, play, "returning", 60, &none, fault) &&
           window_check_memory(play->session, fault) && window_measure_crowd(window, play, fault);
}

static bool window_report(const Session* session, Fault* fault)
{
    const SessionCount* done = &session->done;
    const uint64_t* events = SETT_GET(session->sim->world, session->sim->game, Game)->events;
    printf("kills       %lu\ndoors       %lu\npickups     %lu\nrewinds     %lu, %lu ticks played "
           "again\nkill cams   %lu\n",
           (unsigned long)done->kills, (unsigned long)done->doors, (unsigned long)done->items,
           (unsigned long)done->rewinds, (unsigned long)done->replayed,
           (unsigned long)done->kill_cams);
    /* What monsters and other players did, on all maps: not each session builds stairs. */
    if (events[EVENT_STAIRS] != 0) {
        printf("stairs      %lu\n", (unsigned long)events[EVENT_STAIRS]);
    }
    if (events[EVENT_CRUSHER] != 0) {
        printf("crushers    %lu\n", (unsigned long)events[EVENT_CRUSHER]);
    }
    if (!window_check_memory(session, fault)) {
        return false;
    }
    bool all = done->kills != 0 && done->doors != 0 && done->items != 0 && done->rewinds != 0;
    return all || fault_set(fault, "the demonstration did not do everything");
}

/* --- together --------------------------------------------------------------------------------- */

/* As long as the clock on the wall says, since others play along; with a script's keys. */
static bool window_show_together(Window* window, Play* play, const Arguments* arguments,
                                 Fault* fault)
{
    Demo demo;
    uint64_t clock = 0;
    bool good = demo_init(&demo, arguments->demo) || fault_set(fault, "out of memory");
    while (good && demo.frame < arguments->demo && !window->quits) {
        GameControls controls = demo_controls(&demo, play);
        controls.rewind = controls.kill_cam = controls.next_map = false;
        (void)sett_frame_wait(&clock, 1.0f / DEMO_SECONDS);
        good = window_step(window, play, &controls, fault) &&
               shot_record(&demo, play, arguments->record, fault);
    }
    demo_deinit(&demo);
    return good;
}

static bool window_run_game(const Arguments* arguments, Simulation* sim, uint32_t arena,
                            Fault* fault)
{
    Play play;
    Peers* peers = NULL;
    Window window = {0};
    const PeersDesc desc = {.serves = arguments->serves,
                            .host = arguments->host,
                            .pages = arguments->pages,
                            .map = arguments->map,
                            .port = arguments->port,
                            .players = arguments->players,
                            .player = arguments->player};
    bool good = game_open(&play, sim, arguments->wads, arguments->wad_count, arena,
                          arguments->width, arguments->height, fault) &&
                peers_open(&peers, &desc, sim, play.session, fault) &&
                window_open(&window, arguments, fault);
    if (good && arguments->demo != 0 && play.session->others.advance != NULL) {
        good = window_show_together(&window, &play, arguments, fault);
        times_print(&window.times, sim, "together");
    } else if (good && arguments->demo != 0) {
        good = window_show_demo(&window, &play, arguments, fault);
        times_print(&window.times, sim, "demo");
        good = good && window_report(play.session, fault);
    } else if (good && arguments->measure) {
        good = window_measure(&window, &play, fault);
    } else if (good) {
        good = window_play(&window, &play, fault);
        times_print(&window.times, sim, "played");
    }
    window_close(&window);
    peers_close(peers);
    game_close(&play);
    return good;
}

static bool window_run(const Arguments* arguments, Fault* fault)
{
    Atlas atlas = {0};
    Simulation sim;
    bool good = true;
    for (uint32_t i = 0; good && i < arguments->wad_count; ++i) {
        good =
            atlas_add(&atlas, arguments->wads[i], &arguments->map, arguments->only ? 1 : 0, fault);
    }
    const Level* level = good ? atlas_find(&atlas, arguments->map) : NULL;
    uint32_t arena = level != NULL ? (uint32_t)(level - atlas.levels) : 0;
    if (good && level == NULL) {
        good = fault_set(fault, "--map %s: no map of this name is loaded", arguments->map);
    }
    if (good && simulation_init(&sim, atlas.levels, atlas.count, arguments->seed,
                                arguments->workers, NULL, fault)) {
        good = window_run_game(arguments, &sim, arena, fault);
        simulation_deinit(&sim);
    } else {
        good = false;
    }
    atlas_deinit(&atlas);
    return good;
}

int main(int count, char** texts)
{
    Fault fault;
    Arguments arguments;
    if (!arguments_parse(&arguments, count, texts, &fault)) {
        fprintf(stderr, "freedoom_play: %s\n", fault.text);
        return 2;
    }
    if (arguments.help) {
        fputs(window_help, stdout);
        return 0;
    }
    if (!window_run(&arguments, &fault)) {
        fprintf(stderr, "freedoom_play: %s\n", fault.text);
        return 1;
    }
    return 0;
}

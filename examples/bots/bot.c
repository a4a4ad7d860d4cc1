/* A bot for every game, in C: one of its legal actions, by the seed of the table and the number of the move.
 *
 *     cc -O2 -o bot bot.c
 *
 * Messages have no spaces between their parts, and a quote within a text is written \", so that "legal":[ is nowhere but where it
 * is meant, and nothing else need be parsed.
 */
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 4096 };

static uint32_t mixed(uint32_t bits) {
    bits = (bits ^ bits >> 16) * 0x7feb352du;
    bits = (bits ^ bits >> 15) * 0x846ca68bu;
    return bits ^ bits >> 16;
}

static uint32_t number_after(const char *text, const char *name) {
    const char *found = strstr(text, name);
    return found ? (uint32_t)strtoul(found + strlen(name), NULL, 10) : 0;
}

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        if (strstr(line, "\"type\":\"begin\"")) {
            puts("{\"protocol\":1,\"name\":\"C\"}");
            fflush(stdout);
            continue;
        }
        printf("{\"number\":%u,\"actions\":[", (unsigned)number_after(line, "\"number\":")); /* the first is the message's own */
        const char *table = line, *separator = "";
        while ((table = strstr(table, "{\"table\":"))) {
            long legal[MOST];
            size_t count = 0;
            uint32_t chance = mixed(number_after(table, "\"seed\":") + mixed(number_after(table, "\"move\":")));
            char *at = strstr(table, "\"legal\":[");
            if (!at) break; /* the games that ended, which come after all questions */
            for (at += strlen("\"legal\":["); *at != ']' && count < MOST; at += *at == ',')
                legal[count++] = strtol(at, &at, 10);
            printf("%s%ld", separator, legal[chance % count]);
            separator = ",";
            table = at;
        }
        puts("]}");
        fflush(stdout);
    }
    return 0;
}

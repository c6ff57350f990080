/* cpp_name.hpp: the names of C++ types, which are part of hashes and files. A part of sett.hpp,
 * which programs include.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SETT_CPP_NAME_HPP
#define SETT_CPP_NAME_HPP

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wold-style-cast" /* headers of C */
#include "sett/sett.h"
#pragma GCC diagnostic pop

#if !defined(__GNUC__)
#error "sett.hpp takes the names of types from __PRETTY_FUNCTION__: gcc and clang have it"
#endif

namespace sett
{
namespace detail
{

struct text {
    const char* at;
    size_t size;
};

/* "... [with T = game::Position]" in gcc, "... [T = game::Position]" in clang. */
template <class T> constexpr text spelled()
{
    const char* all = __PRETTY_FUNCTION__;
    size_t from = 0;
    while (!(all[from] == 'T' && all[from + 1] == ' ' && all[from + 2] == '=')) {
        from++;
    }
    from += 4;
    size_t end = from;
    while (all[end] != '\0') {
        end++;
    }
    return {all + from, end - 1 - from};
}

constexpr bool begins(const char* at, size_t left, const char* with)
{
    size_t k = 0;
    while (with[k] != '\0' && k < left && at[k] == with[k]) {
        k++;
    }
    return with[k] == '\0';
}

template <size_t N> struct name_text {
    char at[N];
    uint64_t hash; /* not 0 */
};

constexpr bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}
/* Whether the letters at `k` are those of a number such as 16ul, an argument of a template. */
constexpr bool ends_number(text from, size_t k)
{
    size_t begin = k;
    while (begin > 0 && from.at[begin - 1] >= '0' && from.at[begin - 1] <= '9') {
        begin--;
    }
    while (k < from.size && is_word(from.at[k])) {
        k++;
    }
    const bool alone = begin > 0 && !is_word(from.at[begin - 1]);
    return alone && k < from.size && (from.at[k] == '>' || from.at[k] == ',');
}
constexpr bool is_sign(char c)
{
    return c == '*' || c == '&' || c == '[' || c == '(' || c == '>';
}
/* The bytes of an argument at `k` that the standard's containers have by default, or 0. */
constexpr size_t default_argument(text from, size_t k)
{
    const char* const starts[] = {", std::allocator<",      ", std::char_traits<",
                                  ", std::default_delete<", ", std::less<",
                                  ", std::hash<",           ", std::equal_to<"};
    for (const char* start : starts) {
        if (begins(from.at + k, from.size - k, start)) {
            size_t end = k + 2;
            int depth = 0;
            do {
                depth += from.at[end] == '<';
                depth -= from.at[end] == '>';
                end++;
            } while (end < from.size && (depth > 0 || from.at[end] != '>') &&
                     (depth > 0 || from.at[end] != ','));
            while (end < from.size && from.at[end] == ' ') {
                end++; /* of "> >" */
            }
            return end - k;
        }
    }
    return 0;
}
/* What compilers spell in their own way, with the way of names; longer ones first. Such a word
 * begins where a word does, and ends where one does. */
struct spelling {
    const char* from;
    const char* to;
};
inline constexpr spelling spellings[] = {{"{anonymous}::", ""},
                                         {"(anonymous namespace)::", ""},
                                         {"std::__cxx11::", "std::"},
                                         {"std::__1::", "std::"},
                                         {"long long unsigned int", "unsigned long long"},
                                         {"long unsigned int", "unsigned long"},
                                         {"short unsigned int", "unsigned short"},
                                         {"long long int", "long long"},
                                         {"long int", "long"},
                                         {"short int", "short"}};

/* A name that all compilers agree on, as it is part of hashes and files: without unnamed
 * namespaces, without the function around a local type, and with one spelling of numbers and of
 * the standard's types. */
template <size_t N> constexpr name_text<N> cleaned(text from)
{
    name_text<N> out = {};
    size_t size = 0;
    for (size_t k = 0; k < from.size;) {
        bool replaced = false;
        const bool inside = k > 0 && is_word(from.at[k - 1]);
        for (const spelling& s : spellings) {
            size_t length = 0;
            while (s.from[length] != '\0') {
                length++;
            }
            const bool ends = k + length >= from.size || !is_word(s.from[length - 1]) ||
                              !is_word(from.at[k + length]);
            if (!replaced && !inside && ends && begins(from.at + k, from.size - k, s.from)) {
                for (const char* to = s.to; *to != '\0'; to++) {
                    out.at[size++] = *to;
                }
                k += length;
                replaced = true;
            }
        }
        const bool digit = k > 0 && from.at[k - 1] >= '0' && from.at[k - 1] <= '9';
        const char next = k + 1 < from.size ? from.at[k + 1] : '\0';
        const bool suffix = k < from.size && (from.at[k] == 'u' || from.at[k] == 'U' ||
                                              from.at[k] == 'l' || from.at[k] == 'L');
        if (replaced) {
            continue;
        }
        const char before = k > 0 ? from.at[k - 1] : '\0';
        if (const size_t skipped = default_argument(from, k)) {
            k += skipped;
        } else if (from.at[k] == ' ' && (is_sign(before) || is_sign(next)) &&
                   (!is_word(before) || !is_word(next)) && before != ',') {
            k++; /* "> >", "int *", "int* const" */
        } else if (suffix && digit && ends_number(from, k)) {
            while (is_word(from.at[k])) { /* 16ul */
                k++;
            }
        } else {
            out.at[size++] = from.at[k++];
        }
    }
    size_t start = 0;
    for (size_t k = 0; k + 2 < size; k++) {
        if (out.at[k] == ')' && begins(out.at + k + 1, size - k - 1, "::")) {
            start = k + 3;
        } else if (out.at[k] == ')' && begins(out.at + k + 1, size - k - 1, ">::")) {
            start = k + 4;
        }
    }
    for (size_t k = start; start != 0 && k <= size; k++) {
        out.at[k - start] = k < size ? out.at[k] : '\0';
    }
    return out;
}
constexpr uint64_t hash_of(text of, uint64_t hash = 0xCBF29CE484222325u)
{
    for (size_t k = 0; k < of.size; k++) {
        hash = (hash ^ static_cast<unsigned char>(of.at[k])) * 0x100000001B3u;
    }
    return hash;
}
/* Numbers of names have this bit, so that they take no slots from types, whose numbers do not. */
inline constexpr uint64_t name_bit = uint64_t(1) << 63;
constexpr size_t length_of(const char* text)
{
    size_t size = 0;
    while (text[size] != '\0') {
        size++;
    }
    return size;
}
constexpr uint64_t bindable(uint64_t number)
{
    number &= ~name_bit;
    return number != 0 ? number : 1;
}
} // namespace detail
} // namespace sett

#endif
